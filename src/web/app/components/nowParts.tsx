/** Parts of Now that are loaded together when the first of them is needed. */

export { FrontNoteSheet } from './frontNoteSheet'
export { NewPosts } from './newPosts'
export { PastTimePanel } from './pastTimePanel'
export { StatusField } from './statusField'
