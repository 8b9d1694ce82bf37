import { Problem } from '../validation'
import { base, discardWith, type Field, type Options, optional } from './field'

export function flag(defaultValue: boolean, options: Options): Field<boolean> {
  return {
    ...baseFlag(options),
    defaultValue,
    parse: (value) => (typeof value === 'boolean' ? value : new Problem('not_flag')),
  }
}

/** A flag that must be given, because it has no default. */
export function requiredFlag(options: Options): Field<boolean> & { required: true } {
  return { ...flag(false, options), required: true }
}

/** A flag that may be null, so that a more general setting applies. */
export function nullableFlag(options: Options): Field<boolean | null> {
  return {
    ...baseFlag(options),
    ...optional,
    parse: (value) =>
      value === null || typeof value === 'boolean' ? value : new Problem('not_flag_or_null'),
  }
}

export function count(defaultValue: number, options: Options): Field<number> {
  return {
    ...baseCount(options),
    defaultValue,
    parse: (value) => (isCount(value) ? value : new Problem('not_count')),
  }
}

export function nullableCount(options: Options): Field<number | null> {
  return {
    ...baseCount(options),
    ...optional,
    parse: (value) => (value === null || isCount(value) ? value : new Problem('not_count_or_null')),
  }
}

/** A whole number between two bounds, or null. */
export function nullableNumber(
  options: Options & { min: number; max: number },
): Field<number | null> {
  const { min, max } = options
  return {
    ...base('count', 'integer', { type: 'integer', minimum: min, maximum: max }, options),
    ...optional,
    parse: (value) =>
      value === null || (isCount(value) && value >= min && value <= max)
        ? value
        : new Problem('out_of_range', { min, max }),
    repair: discardWith('out_of_range'),
  }
}

function baseFlag(options: Options) {
  return {
    ...base('flag', 'flag', { type: 'boolean' }, options),
    repair: discardWith('not_flag'),
  }
}

function baseCount(options: Options) {
  return {
    ...base('count', 'integer', { type: 'integer', minimum: 0 }, options),
    repair: discardWith('not_count'),
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
