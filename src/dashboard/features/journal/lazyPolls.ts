/** Part of Chat that is loaded with the first poll. */
export { PollPage } from './pollPage'
export { PollSheet } from './pollSheet'
