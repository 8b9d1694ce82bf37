import { DISCORD, formatId, isIdOf, MAX_ID, type Platform } from '../platform'
import { Problem } from '../validation'
import { base, type Field, type Options, optional } from './field'

/** Schema of an ID on the bot's own platform. */
const idSchema = { type: 'string', pattern: '^\\S+$', maxLength: MAX_ID }

/** ID of an account, guild, channel or message on a chat platform. */
export function snowflake(options: Options): Field<string> & { required: true } {
  return {
    ...base('snowflake', 'text', idSchema, options),
    defaultValue: '',
    required: true,
    parse: parseSnowflake,
  }
}

/** An ID or null. Empty text is invalid: a client without an ID sends null or omits the key. */
export function nullableSnowflake(options: Options): Field<string | null> {
  return {
    ...base('snowflake', 'text', idSchema, options),
    ...optional,
    parse: (value, platform) => (value === null ? null : parseSnowflake(value, platform)),
  }
}

export function snowflakes(options: Options & { maxItems: number }): Field<string[]> {
  const { maxItems } = options
  return {
    ...base('snowflakes', 'json', { type: 'array', maxItems, items: idSchema }, options),
    defaultValue: [],
    max: maxItems,
    parse: (value, platform) => {
      if (!Array.isArray(value)) return new Problem('not_ids')
      if (value.length > maxItems)
        return new Problem('too_many_ids', { max: maxItems, actual: value.length })
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

/** Parses an ID in a request into its stored form. */
function parseSnowflake(value: unknown, platform: Platform = DISCORD): string | Problem {
  return typeof value === 'string' && isIdOf(platform, value)
    ? formatId({ platform, id: value })
    : new Problem('not_id', { platform })
}
