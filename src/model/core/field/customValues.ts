import { isObject, Problem } from '../validation'
import { base, type Field, type Options } from './field'

/**
 * Values of custom fields by the UUID of the field. The service checks them, because their types are
 * rows of a table.
 */
export function customValues(options: Options): Field<Record<string, unknown>> {
  return {
    ...base('customValues', 'json', { type: 'object', additionalProperties: true }, options),
    defaultValue: {},
    parse: (value) => (isObject(value) ? value : new Problem('not_values')),
  }
}
