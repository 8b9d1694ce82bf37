import manifest from '../../package.json' with { type: 'json' }

export const version: string = manifest.version

/** Commit of this build, inserted by build.ts. */
export const commit: string = process.env.MULTITUDE_COMMIT ?? 'unknown'

/** Date of that commit, or today when run from source. */
export const builtOn: string = process.env.MULTITUDE_DATE ?? new Date().toISOString().slice(0, 10)
