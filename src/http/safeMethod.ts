/** Whether a request with this method only reads. */
export function isSafeMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Methods that the server supports, in the order of the `Allow` header. */
export const METHODS: readonly string[] = [
  'GET',
  'POST',
  'PATCH',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
]
