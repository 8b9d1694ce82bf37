/** Options with which the executable is built. */
export const executableOptions = {
  entrypoints: ['src/main.ts'],
  minify: true,
  bytecode: true,
  // Splitting keeps dynamic imports in separate chunks, which are read when they are first needed.
  format: 'esm',
  splitting: true,
} satisfies Bun.BuildConfig
