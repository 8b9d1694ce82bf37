/** Preloaded into the program: SIGUSR2 causes an unhandled rejection, SIGHUP an uncaught exception. */
process.on('SIGUSR2', () => void Promise.reject(new Error('a rejection of the test')))
process.on('SIGHUP', () => {
  throw new Error('an exception of the test')
})
