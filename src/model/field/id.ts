import { MAX_ID } from '../platform'
import { Problem, parseSnowflake } from '../validation'
import { base, type Field, type Options, optional } from './field'

/** Of the bot's own platform. */
const idSchema = { type: 'string', pattern: '^\\S+$', maxLength: MAX_ID }

/** A chat platform's ID of an account, a guild, a channel or a message. */
export function snowflake(options: Options): Field<string> & { required: true } {
  return {
    ...base('snowflake', 'text', idSchema, options),
    defaultValue: '',
    required: true,
    read: parseSnowflake,
  }
}

/** An ID or null. An empty text is neither: a client that has no ID sends null or no key. */
export function nullableSnowflake(options: Options): Field<string | null> {
  return {
    ...base('snowflake', 'text', idSchema, options),
    ...optional,
    read: (value, platform) => (value === null ? null : parseSnowflake(value, platform)),
  }
}

export function snowflakes(options: Options & { most: number }): Field<string[]> {
  const { most } = options
  return {
    ...base('snowflakes', 'json', { type: 'array', maxItems: most, items: idSchema }, options),
    defaultValue: [],
    max: most,
    read: (value, platform) => {
      if (!Array.isArray(value)) return new Problem('Must be a list of IDs.')
      if (value.length > most) return new Problem(`At most ${most} IDs.`, most, value.length)
      const ids = new Set<string>()
      for (const item of value) {
        const id = parseSnowflake(item, platform)
        if (id instanceof Problem) return id
        ids.add(id)
      }
      return [...ids]
    },
  }
}
