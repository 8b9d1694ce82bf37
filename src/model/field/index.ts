/** Constructors of the fields in field tables. */
export {
  type Field,
  isUrl,
  type Kind,
  type Repaired,
  type ValueOf,
} from './field'
export { nullableSnowflake, snowflake, snowflakes } from './id'
export { proxyTags, textList } from './list'
export { count, flag, nullableCount, nullableFlag, requiredFlag } from './number'
export {
  choice,
  color,
  reference,
  required,
  requiredChoice,
  requiredReference,
  text,
  textOr,
  timezone,
  url,
} from './text'
export { clientTimestamp, date, timestamp } from './time'
