import { Problem } from '../validation'
import { base, discardWith, type Field, type Options, optional } from './field'

export function flag(defaultValue: boolean, options: Options): Field<boolean> {
  return {
    ...baseFlag(options),
    defaultValue,
    parse: (value) => (typeof value === 'boolean' ? value : new Problem('Must be true or false.')),
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
      value === null || typeof value === 'boolean'
        ? value
        : new Problem('Must be true, false or null.'),
  }
}

export function count(defaultValue: number, options: Options): Field<number> {
  return {
    ...baseCount(options),
    defaultValue,
    parse: (value) => (isCount(value) ? value : new Problem('Must be a whole number, 0 or more.')),
  }
}

export function nullableCount(options: Options): Field<number | null> {
  return {
    ...baseCount(options),
    ...optional,
    parse: (value) =>
      value === null || isCount(value)
        ? value
        : new Problem('Must be a whole number, 0 or more, or null.'),
  }
}

/** A whole number between two bounds, or null. */
export function nullableNumber(
  options: Options & { min: number; max: number },
): Field<number | null> {
  const { min, max } = options
  const [least, most] = [min, max].map((bound) => bound.toLocaleString('en'))
  return {
    ...base('count', 'integer', { type: 'integer', minimum: min, maximum: max }, options),
    ...optional,
    parse: (value) =>
      value === null || (isCount(value) && value >= min && value <= max)
        ? value
        : new Problem(`Must be a whole number between ${least} and ${most}, or null.`),
    repair: discardWith('out of range'),
  }
}

function baseFlag(options: Options) {
  return {
    ...base('flag', 'flag', { type: 'boolean' }, options),
    repair: discardWith('neither true nor false'),
  }
}

function baseCount(options: Options) {
  return {
    ...base('count', 'integer', { type: 'integer', minimum: 0 }, options),
    repair: discardWith('not a count'),
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
