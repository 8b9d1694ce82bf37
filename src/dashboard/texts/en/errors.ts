/** Texts in place of the server's error messages, by error code, or by status where it has none. */
export const errors = {
  '400': 'The server couldn’t use this.',
  '401': 'You’re no longer logged in.',
  '403': 'You don’t have access to this.',
  '404': 'This no longer exists.',
  '409': 'This name is already taken.',
  '413': 'This is too large for the server.',
  '429': 'The server is busy. Try again in a moment.',
  '500': 'Something went wrong on the server. Try again.',
  '503': 'The server is busy. Try again in a moment.',
  '20001': 'This system no longer exists.',
  '20002': 'This profile no longer exists.',
  '20003': 'Someone you selected no longer exists.',
  '20004': 'This group no longer exists.',
  '20005': 'A group you selected no longer exists.',
  '20008': 'This switch no longer exists.',
  '40001': 'Please check the highlighted fields.',
  '40003': 'Someone is selected twice.',
  '40004': 'They’re already here.',
  '40005': 'There’s already a switch at exactly that time.',
  '40007': 'Your system is full. This server doesn’t allow more.',
  '40008': 'You have as many groups as this server allows.',
}

/** Texts in place of the messages of the field tables, which are the keys; `#` stands for a number. */
export const problems = {
  'Required.': 'Required.',
  'Too long: at most # characters.': 'Too long: at most # characters.',
  'A proxy tag is too long: prefix and suffix together at most # characters.':
    'A proxy tag is too long: prefix and suffix can have # characters together.',
  'At most # proxy tags.': 'At most # proxy tags.',
  'At most # items.': 'At most # entries.',
  'Must not be empty.': 'Must not be empty.',
  'Contains characters that cannot be stored.': 'Contains characters that can’t be stored.',
  'Must be six hexadecimal digits, without "#".': 'Must be six hexadecimal digits, without “#”.',
  'Must be an absolute http or https address.': 'Must be an absolute http or https address.',
  'Must be a time zone name such as "Europe/Oslo".':
    'Must be a time zone name such as “Europe/Oslo”.',
  'Must be a real date, YYYY-MM-DD.': 'Enter a date.',
  'Must be in the future.': 'Choose a day in the future.',
  'Must be another name.': 'Choose another name.',
  'Must not be more than a day ahead.': 'That’s in the future.',
}
