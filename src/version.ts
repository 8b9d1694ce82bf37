import manifest from '../package.json' with { type: 'json' }

export const version: string = manifest.version

/** The commit it was built from; build.ts puts it in. */
export const commit: string = process.env.MULTITUDE_COMMIT ?? 'unknown'

/** The day of that commit; where nothing was built, today. */
export const builtOn: string = process.env.MULTITUDE_DATE ?? new Date().toISOString().slice(0, 10)
