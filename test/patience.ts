import { plugin } from 'bun'

/**
 * A test that hangs is found either way; one on a machine with busy cores may take its time. A
 * default that is set once counts for the first file only, so every file of tests sets its own.
 */
plugin({
  name: 'patience',
  setup({ onLoad }) {
    onLoad({ filter: /\.(test|browser|server|cluster)\.ts$/ }, async ({ path }) => ({
      // On the first line, so that no other line gets another number.
      contents: `import { setDefaultTimeout as giveTime } from 'bun:test'; giveTime(60_000); ${await Bun.file(path).text()}`,
      loader: 'ts',
    }))
  },
})
