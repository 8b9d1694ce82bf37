/** Constructors of the fields in field tables. */
export { customValues } from './customValues'
export {
  type Field,
  isUrl,
  type Kind,
  type Repaired,
  type ValueOf,
} from './field'
export { nullableSnowflake, snowflake, snowflakes } from './id'
export { bucketList, choiceList, memberList, proxyTags, textList } from './list'
export { count, flag, nullableCount, nullableFlag, nullableNumber, requiredFlag } from './number'
export { type Option, optionList } from './options'
export {
  choice,
  color,
  nullableChoice,
  reference,
  required,
  requiredChoice,
  requiredReference,
  text,
  textOr,
  timezone,
  url,
} from './text'
export { clientTimestamp, date, type Timestamp, timeOfDay, timestamp } from './time'
