import manifest from '../package.json' with { type: 'json' }

export const version: string = manifest.version

/** The commit it was built from; build.ts puts it in. */
export const commit: string = process.env.MULTITUDE_COMMIT ?? 'unknown'
