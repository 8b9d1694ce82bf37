/**
 * Runs the test files in one process per core: they wait for nothing, and each further process would
 * compile everything once more. Arguments are passed to `bun test`.
 */
const { exited } = Bun.spawn(
  [process.execPath, 'test', '--parallel=3', '--no-isolate', ...process.argv.slice(2)],
  {
    // Tests run too short to repay the optimizing compiler, which takes a sixth of their CPU time.
    env: { ...process.env, BUN_JSC_useFTLJIT: '0' },
    stdio: ['inherit', 'inherit', 'inherit'],
  },
)
void exited.then((code) => process.exit(code))
