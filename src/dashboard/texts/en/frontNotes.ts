import { createMessageTools } from '../messages'

const { number, plural } = createMessageTools('en')

/** Texts about statuses, comments, and new posts on Now. */
export const frontNotes = {
  status: 'Status',
  statusOf: (name: string) => `Status of ${name}`,
  clearToEnd: 'Leave it empty to end the status.',
  comment: 'Comment',
  enterComment: 'Write something first.',
  about: 'About',
  wholeFront: 'Everyone here',
  by: 'Written by',
  nobodyInParticular: 'Not stated',
  comments: 'Comments',
  noComments: 'No comments on this day.',
  notes: 'Statuses and comments',
  noNotes: 'None yet.',
  /** One line in the list of switches. */
  said: (name: string, text: string) => `${name}: ${text}`,
  aboutAt: (name: string, time: string) => `About ${name} · ${time}`,
  statusAt: (time: string) => `Status · ${time}`,
  commentAt: (time: string) => `Comment · ${time}`,
  edit: { status: 'Edit status', comment: 'Edit comment' },
  editStatus: (time: string, text: string) => `Edit status, ${time}, ${text}`,
  editComment: (time: string, text: string) => `Edit comment, ${time}, ${text}`,
  deleteAsk: { status: 'Delete this status?', comment: 'Delete this comment?' },
  deleteEffect: 'This can’t be undone.',
  isDeleted: { status: 'Status deleted.', comment: 'Comment deleted.' },
  isStatusSaved: 'Status saved.',
  isStatusEnded: 'Status ended.',
  isCommentSaved: 'Comment saved.',
  newPostsHere: 'New posts',
  newPosts: (count: number, name: string) =>
    plural(count, {
      one: `${number(count)} new post for ${name}`,
      other: `${number(count)} new posts for ${name}`,
    }),
}
