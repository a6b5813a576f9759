"""Playing against agents: `table` is the game table without a network, `sight` what a seat may see of it, `hints` what an agent
would do, `server` the page, `terminal` the text session. `train.play` starts them.
"""
