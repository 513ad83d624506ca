"""From rules to machine code: the language of rules is small, so its way to LLVM is short.

``sources`` finds a function's text; ``expressions`` and ``statements`` write it in LLVM's language with the
kinds of ``kinds`` and the ready-made ``words``, ``program`` all functions of a game; ``code`` optimises the whole game as one program, keeps
the machine code on disk and calls it. What lies outside the language is ``Outside``, with its line; the
kernel then asks Numba, which knows more of Python and takes several times longer.
"""
