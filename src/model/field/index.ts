/** The words that field tables are written in. */
export {
  type Field,
  type Hidden,
  hiddenAs,
  isAddress,
  type Kind,
  type Mended,
  type ValueOf,
} from './field'
export { maybeSnowflake, snowflake, snowflakes } from './id'
export { proxyTags, texts } from './list'
export { count, flag, maybeCount, maybeFlag, requiredFlag } from './number'
export {
  choice,
  color,
  reference,
  required,
  requiredReference,
  text,
  textOr,
  timezone,
  url,
} from './text'
export { date, givenTime, timestamp } from './time'
