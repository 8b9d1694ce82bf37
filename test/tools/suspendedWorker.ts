/** Preloaded into the program: an import worker suspends itself before it reads. */
if (process.argv.includes('read-import')) process.kill(process.pid, 'SIGSTOP')
