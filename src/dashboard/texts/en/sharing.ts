import { createMessageTools, type Word } from '../messages'

const { countOf, number, plural } = createMessageTools('en')
// British lists, as on other pages.
const { list } = createMessageTools('en-GB')

/** Texts of friends, invitations and privacy buckets. */
export const sharing = {
  // Friends.
  about: 'Friends have a system on this server, too. Each side decides what it shows.',
  none: 'No friends yet. Invite one, or enter a code that a friend gave you.',
  friends: 'Your friends',
  showMore: (count: number) => `Show more (${number(count)})`,
  someone: 'A friend',
  notShown: 'They don’t show who is here.',
  nobodyShown: 'No one is shown as here.',
  isDisabled: 'This system is turned off at the moment.',
  friendsSince: (date: string) => `Friends since ${date}`,
  whatTheySee: 'What they see',
  whatTheySeeNamed: (name: string) => `What they see: ${name}`,
  notifyMe: 'Notify me',
  notifyMeNamed: (name: string) => `Notify me: ${name}`,
  notifyMore: 'When someone they show you comes to the front.',
  notifyOff: 'They have turned this off, so nothing arrives.',
  willNotify: (name: string) => `You’ll be notified about ${name}.`,
  wontNotify: (name: string) => `You won’t be notified about ${name}.`,
  remove: 'Remove friend',
  removeNamed: (name: string) => `Remove friend ${name}`,
  removeAsk: (name: string) => `Remove ${name}?`,
  removeEffect:
    'You stop seeing each other at once. To be friends again, one of you invites the other.',
  isRemoved: (name: string) => `${name} is no longer a friend.`,
  toFriends: 'All friends',
  notFound: 'No friend here.',
  notFoundMore: 'Perhaps one of you ended the friendship.',
  membersNotShown: 'They don’t show you their members.',
  friendLimit: 'One of you already has 200 friends.',

  // What a friend sees.
  ownName: 'Name',
  ownNameMore: 'Your own name for this friend. Only you see it.',
  seeFront: 'Who is here',
  seeFrontMore: 'Those who are in one of the buckets below, with their status.',
  seeMembers: (word: Word) => `${word.title}, groups and fields`,
  seeMembersMore: 'Everything in the buckets below, with long descriptions.',
  announce: 'Notifications',
  announceMore: 'They may be notified when someone they can see comes to the front.',
  inBuckets: 'Buckets',
  noBuckets:
    'They’ll be in the bucket “Friends”. It is empty at first, so they see no one until you put someone in.',
  seesNothing: 'Without a bucket they see no one.',
  seesNothingYet: (word: Word) =>
    `There are no ${word.many} in these buckets yet, so they see no one.`,

  // Invitations.
  invite: 'Invite a friend',
  inviteNamed: (name: string) => `Invite a friend: ${name}`,
  inviteMore: 'Your friend needs a system on this server. The invitation works once, for 7 days.',
  inviteFor: 'Name',
  inviteForMore: 'Who is it for? Only you see this name.',
  youShow: 'You show',
  createInvite: 'Create invitation',
  isInvited: 'Invitation created.',
  invitation: (name: string) => `Invitation for ${name}`,
  anInvitation: 'Invitation without a name',
  link: 'Link',
  code: 'Code',
  linkOnce: 'Send it to your friend. You won’t see it again.',
  codeOnce: 'They enter it under More → Friends → Enter a code. You won’t see it again.',
  codeToo: 'Or send this code, to be entered under More → Friends → Enter a code.',
  open: 'Open invitations',
  until: (date: string) => `until ${date}`,
  withdraw: 'Withdraw',
  withdrawNamed: (name: string) => `Withdraw: ${name}`,
  isWithdrawn: 'Invitation withdrawn.',
  enterCode: 'Enter a code',
  enterCodeMore: 'The code or the link that a friend gave you.',
  noCode: 'Enter a code.',
  continue: 'Continue',
  inviteLimit: 'You already have 10 open invitations. Withdraw one first.',

  // Answering an invitation.
  invites: (name: string) => `${name} invites you`,
  aSystem: 'A system',
  theyShow: 'They show you',
  shows: {
    front: 'who is here',
    members: 'the members, groups and fields they share with you',
    announce: 'a notification when someone comes to the front, if you want it',
    nothing: 'nothing at first',
  },
  accept: 'Accept',
  isWaiting: 'A friend’s invitation is waiting.',
  answer: 'Answer it',
  areFriends: (name: string) => `You and ${name} are friends now.`,
  inviteIsOver: 'This invitation has already been used, was withdrawn or has expired.',
  askAgain: 'Ask your friend for a new one.',
  isOwn: 'This is your own invitation. Send it to a friend.',
  areAlready: 'You are friends already.',

  // Buckets.
  buckets: 'Buckets',
  bucketsMore: (word: Word) =>
    `A bucket is a set of friends. Put ${word.many}, groups and fields in it, and the friends in it see them.`,
  noBucketsYet: 'No buckets yet. “Friends” and “Trusted friends” come with the first invitation.',
  addBucket: 'Add bucket',
  editBucket: (name: string) => `Edit ${name}`,
  bucketAbout: 'Description',
  emoji: 'Emoji',
  colour: 'Colour',
  defaultFor: 'Add new ones automatically',
  defaults: (word: Word) => ({
    members: word.title,
    custom_fronts: 'Custom fronts',
    groups: 'Groups',
    fields: 'Fields',
  }),
  contents: 'Choose…',
  contentsNamed: (name: string) => `Choose what is in ${name}`,
  kinds: (word: Word) => ({ members: word.title, groups: 'Groups', fields: 'Fields' }),
  whichKind: 'What to choose',
  counted: (title: string, count: number) => `${title} (${number(count)})`,
  inBucket: (
    word: Word,
    members: number,
    groups: number,
    fields: number,
    friends: number,
  ): string =>
    list(
      [
        members > 0 ? countOf(members, word) : '',
        groups > 0 ? plural(groups, { one: '1 group', other: `${number(groups)} groups` }) : '',
        fields > 0 ? plural(fields, { one: '1 field', other: `${number(fields)} fields` }) : '',
        friends > 0
          ? plural(friends, { one: '1 friend', other: `${number(friends)} friends` })
          : '',
      ].filter((part) => part !== ''),
    ) || 'Empty',
  searchThings: 'Search by name',
  nothingFound: 'Nothing found.',
  nothingToChoose: 'There are none yet.',
  bucketLimit: 'You already have 20 buckets.',
  deleteBucket: (name: string) => `Delete ${name}?`,
  deleteBucketEffect:
    'Friends stop seeing what they saw only because of this bucket. Nothing else is deleted.',
  isBucketDeleted: (name: string) => `${name} was deleted.`,

  // Pages of members, groups and fields.
  visibleTo: 'Visible to',
  visibleToNow: (names: string) => `Visible to: ${names}`,
  visibleToMore: 'Friends in these buckets see it, whatever is public or private.',
  noOne: 'No friends',
  announceFrontMore: (name: string) =>
    `Friends who see ${name} may be notified when ${name} comes to the front.`,
  friendsView: 'Friend’s view',
  whichBucket: 'A friend in',
  notVisible: (name: string) => `Friends in this bucket don’t see ${name}.`,
  onlyIfShown: (word: Word) => `For friends to whom you show ${word.many}.`,

  // Friends of Simply Plural.
  archived: 'Friends from Simply Plural',
  archivedMore:
    'The file has no names, only IDs and what they could see. An invitation shows them the same.',
  couldSee: { front: 'saw who was here', members: 'saw profiles', nothing: 'saw nothing' },
}
