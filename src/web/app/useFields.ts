import { type CustomField, FIELDS_PATH } from './customFields'
import { useOwn } from './useOwn'

/** Loads the custom fields of the system, in their order. */
export function useFields() {
  return useOwn<readonly CustomField[]>(FIELDS_PATH, 'fields')
}
