import { createMessageTools } from '../messages'

const { list, number, plural } = createMessageTools('en-GB')

/** Texts of Notes, Chat and polls. */
export const journal = {
  // Notes.
  addNote: 'Add note',
  newNote: 'New note',
  editNote: 'Edit note',
  whose: 'Whose',
  everyone: 'Everyone',
  wholeSystem: 'The whole system',
  searchNotes: 'Search titles and texts',
  noNotes: 'No notes yet. Nobody outside your system can read them.',
  noNotesOf: (name: string) => `No notes of ${name} yet.`,
  noNoteFound: 'No notes found.',
  notesFound: (count: number, hasMore: boolean) =>
    hasMore
      ? `More than ${number(count)} notes found`
      : plural(count, { one: '1 note found', other: `${number(count)} notes found` }),
  pinned: 'Pinned',
  untitled: 'Untitled',
  labels: {
    title: 'Title',
    text: 'Text',
    date: 'Date',
    member: 'Whose note',
    color: 'Colour',
    pinned: 'Pinned',
  },
  titleOrText: 'Write a title or a text.',
  edited: (moment: string) => `edited ${moment}`,
  noteIsDeleted: 'Note deleted.',
  deleteNoteAsk: 'Delete this note?',
  cannotBeUndone: 'This can’t be undone.',
  draftStays:
    'What you typed stays here until you come back, close this tab or log out. No one else can see it.',
  isDraft: 'These changes are not saved yet.',
  discard: 'Discard',

  // Boards and rooms.
  boards: 'Boards',
  board: 'Board',
  systemBoard: 'Board of the whole system',
  boardOf: (name: string) => `Board of ${name}`,
  newPosts: (count: number) => plural(count, { other: `${number(count)} new` }),
  allBoards: 'Show all boards',
  rooms: 'Rooms',
  addRoom: 'Add room',
  editRoom: 'Edit room',
  noRooms: 'No rooms yet. A room is for everyone, about one thing.',
  roomAbout: 'What it’s for',
  category: 'Category',
  categoryMore: 'Rooms of the same category are listed together.',
  withoutCategory: 'Other rooms',
  lastPost: (ago: string) => `last post ${ago}`,
  noPostsIn: 'no posts',
  order: 'Order…',
  rename: 'Rename',
  renameNamed: (name: string) => `Rename ${name}`,
  deleteRoomAsk: (name: string) => `Delete ${name}?`,
  countingPosts: 'Counting its posts…',
  deleteRoomEffect: (count: number, hasMore: boolean) =>
    count === 0
      ? 'There are no posts in it. This can’t be undone.'
      : hasMore
        ? `Its posts, more than ${number(count)}, are deleted too. This can’t be undone.`
        : plural(count, {
            one: 'The post in it is deleted too. This can’t be undone.',
            other: `The ${number(count)} posts in it are deleted too. This can’t be undone.`,
          }),
  roomIsDeleted: (name: string) => `${name} was deleted.`,
  noRoomByThatId: 'No room by that ID.',
  noBoardByThatId: 'No board by that ID.',

  // Posts.
  post: 'Post',
  writeAs: 'As',
  optionalTitle: 'Title (optional)',
  writeSomething: 'Write something first.',
  noPosts: 'No posts yet.',
  isNew: 'new',
  unknownAuthor: 'Unknown',
  deletedAuthor: (name: string) => `${name} (deleted)`,
  reply: 'Reply',
  replyToNamed: (name: string) => `Reply to ${name}`,
  replyingTo: (name: string) => `Reply to ${name}:`,
  cancelReply: 'Don’t reply',
  replyToDeleted: 'Reply to a deleted post',
  replyToEarlier: 'Reply to an earlier post',
  editPost: 'Edit post',
  editPostOf: (name: string) => `Edit what ${name} wrote`,
  deletePostOf: (name: string) => `Delete what ${name} wrote`,
  deletePostAsk: 'Delete this post?',
  deletePostEffect: 'Replies to it stay. This can’t be undone.',
  postIsDeleted: 'Post deleted.',
  isPosted: 'Posted.',

  // Polls.
  polls: 'Polls',
  addPoll: 'Add poll',
  editPoll: 'Edit poll',
  noPolls: 'No polls yet.',
  votes: (count: number) => plural(count, { one: '1 vote', other: `${number(count)} votes` }),
  isOpen: 'open',
  opensUntil: (moment: string) => `open until ${moment}`,
  isClosed: 'closed',
  closedAt: (moment: string) => `closed since ${moment}`,
  question: 'Question',
  pollAbout: 'Explanation',
  options: 'Options',
  option: (at: number) => `Option ${number(at)}`,
  addOption: 'Add option',
  removeOption: (at: number) => `Remove option ${number(at)}`,
  removeOptionEffect: 'Removing an option removes its votes.',
  colourOf: (at: number) => `Colour of option ${number(at)}`,
  isVeto: 'Is a veto',
  isVetoOf: (at: number) => `Option ${number(at)} is a veto`,
  endsAt: 'Voting ends at a set time',
  enterQuestion: 'Enter a question.',
  enterOptions: 'Give each option a name.',
  needsOption: 'Add an option.',
  vote: 'Vote',
  whoVotes: 'Who votes',
  whichOption: 'For what',
  comment: 'Comment',
  chooseVoter: 'Choose who votes.',
  chooseOption: 'Choose an option.',
  replacesVote: (name: string, option: string) =>
    `${name} voted for “${option}”. Your new choice replaces that.`,
  withdraw: 'Withdraw',
  hasVoted: (name: string) => `${name} voted.`,
  isWithdrawn: (name: string) => `The vote of ${name} is withdrawn.`,
  results: 'Results',
  noVotes: 'No votes yet.',
  vetoedBy: (names: readonly string[]) => `Veto by ${list(names)}.`,
  veto: 'veto',
  deletePollAsk: (name: string) => `Delete “${name}”?`,
  deletePollEffect: (count: number) =>
    count === 0
      ? 'There are no votes in it. This can’t be undone.'
      : plural(count, {
          one: 'Its vote is deleted too. This can’t be undone.',
          other: `Its ${number(count)} votes are deleted too. This can’t be undone.`,
        }),
  pollIsDeleted: 'Poll deleted.',
  voteWasClosed: 'Voting has ended.',
  limitReached: 'Your system has as many of these as this server allows.',
}
