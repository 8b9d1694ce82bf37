/** Texts about push notifications. */
export const push = {
  heading: 'Notifications on this device',
  isOffHere: 'Notifications are turned off on this server.',
  offer:
    'Get a notification when a reminder is due, someone writes to a member who is here, or someone comes to the front in a friend’s system.',
  offerToWatch: 'Get a notification when someone else comes to the front.',
  turnOn: 'Turn on notifications',
  turnOff: 'Turn off notifications',
  sendTest: 'Send test',
  isTestSent: 'A test notification is on its way.',
  testFailed: 'The test didn’t reach this device. Turn notifications off and on again.',
  cannotTurnOn: 'This browser couldn’t turn on notifications. Try again, or use another browser.',
  names: 'Show names',
  namesMore: 'Anyone who can see your screen can read them.',
  kinds: {
    reminders: { label: 'Reminders', hint: 'When a reminder is due.' },
    posts: { label: 'Posts', hint: 'When someone writes to a member who is here.' },
    own_front: {
      label: 'Who is here',
      hint: 'A silent notification that always shows who is fronting.',
    },
    friends: {
      label: 'Friends',
      hint: 'When someone comes to the front in a friend’s system. Under Friends, “Notify me” chooses which ones.',
    },
  },
  /** Why notifications cannot be turned on. */
  support: {
    none: 'This browser can’t show notifications, or this page isn’t opened with https.',
    install:
      'On an iPhone or iPad, add this page to the home screen first: tap Share, then Add to Home Screen. Then open it from there and turn on notifications.',
    denied:
      'This browser blocks notifications from this page. Allow them in the browser’s settings for this site, then reload the page.',
  },
}
