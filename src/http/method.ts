/** Whether a request only looks: HEAD is answered as GET. */
export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
