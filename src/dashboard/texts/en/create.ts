/** Texts for creating a system, and for login links. */
export const create = {
  heading: 'Create a system',
  setupHeading: 'Welcome to your new server',
  setupMore: 'Create the first system. You can change everything later.',
  setupIsOver:
    'This set-up link has already been used or has expired. While there is no system, this command prints a new one:',
  closed: 'Nobody can create a system here at the moment. Ask the person who runs this server.',
  name: 'Name of the system',
  nameMore: 'You can leave this empty.',
  invite: 'Invite code',
  wrongInvite: 'This invite doesn’t work. Check that you copied all of it, or ask for a new one.',
  start: 'How do you want to start?',
  starts: { import: 'Import a file', empty: 'Start empty' },
  startsMore: {
    import:
      'From PluralKit, Tupperbox, Simply Plural, another Multitude or an app with PluralPort. You choose the file in the next step.',
    empty: 'You add everyone yourself.',
  },
  visibility: 'Who may see it?',
  visibilities: {
    private: 'Private',
    front: 'Only who is here now',
    public: 'Public',
  },
  visibilitiesMore: {
    private:
      'Others don’t see who is here, your lists or your history. Anyone who has someone’s ID can still look up their name.',
    front:
      'Anyone with your ID sees who is here now, with names. Your lists and your history are private.',
    public: 'Anyone with your ID sees everyone, your groups and your history.',
  },
  chooseVisibility: 'Choose who may see it.',
  visibilityLater: 'You can change this any time under More → Privacy.',
  create: 'Create system',
  toLogin: 'I already have a system',
  isCreated: 'Your system is ready',
  token: 'Your token',
  tokenMore:
    'Copy it now. You won’t see it again. It works like a password: with it you can log in on any device.',
  toImport: 'Continue to import',
  toNow: 'Continue',
  logInAs: (name: string) => `Log in as ${name}?`,
  linkIsOver: 'This link has already been used or has expired.',
  otherLogin: 'Log in another way',
}
