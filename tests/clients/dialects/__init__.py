"""The three dialects of the scripted upstream. Each module has the same four functions:

`read(body)` gives the results of tools in the request and what is wrong with its history, `whole(answer, stamp)` one
JSON body, `pieces(answer, stamp, body)` the events of a stream as bytes, and `failure(failure)` the body of an error.
"""
