"""The random generator of docs/notation.md: SplitMix64, and the shuffle that is built on it."""

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z):
    """The output function of SplitMix64."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


class Generator:
    """One stream of random numbers; its whole state is one integer of 64 bits."""

    def __init__(self, seed):
        self.state = mix((seed + GOLDEN) & WORD)

    def next(self):
        """The next 64 random bits."""
        self.state = (self.state + GOLDEN) & WORD
        return mix(self.state)

    def below(self, n):
        """A random integer in 0..n-1."""
        return ((self.next() >> 32) * n) >> 32

    def shuffle(self, array):
        """Shuffles the list in place."""
        for i in range(len(array) - 1, 0, -1):
            j = self.below(i + 1)
            array[i], array[j] = array[j], array[i]
