/**
 * Texts in place of the reasons that the server gives in the report of an import, which are the
 * keys; `#` stands for a number.
 */
export const importReasons = {
  'Everything from a Simply Plural file arrives private: only you can see it until you change that.':
    'Everything from a Simply Plural file arrives private: only you can see it until you change that.',
  'Simply Plural hosted the picture and has shut down; its avatar archive may have it':
    'this picture was on Simply Plural, which has shut down; its avatar archive may have it',
  'bytes that are not UTF-# were replaced by \uFFFD':
    'Unreadable characters were replaced by \uFFFD.',
  'further repairs that are not listed': 'More adjustments are not listed.',
  'a name is required': 'a name is required',
  'a number instead of text': 'a number instead of text',
  'at most # members front at once': 'at most # can be here at once',
  'cannot be kept; a new one is generated': 'can’t be kept; there is a new one',
  'characters that cannot be stored were removed': 'characters that can’t be stored were deleted',
  'colours are written as six digits': 'colours have six digits',
  'cut to # characters': 'shortened to # characters',
  'dates are written as YYYY-MM-DD, without a year as #': 'dates are written year-month-day',
  'deleted, or not an object': 'deleted or unreadable',
  'ended before they began: start and end were swapped':
    'ended before they began: start and end were swapped',
  'every tupper has this tag': 'everyone has this tag',
  'given twice in the file': 'twice in the file',
  'groups contain each other': 'the groups contain each other',
  'longer than # characters': 'longer than # characters',
  'neither public nor private': 'neither public nor private',
  'neither true nor false': 'neither true nor false',
  'no list of members': 'no list of members',
  'no such group in this file': 'this group isn’t in the file',
  'no such member in this file': 'not in the file',
  'no such member in this file; left out of # switches': 'not in the file; left out of # switches',
  'not a colour': 'not a colour',
  'not a count': 'not a number',
  'not a date': 'not a date',
  'not a guild ID': 'not a server ID',
  'not a known time zone': 'not a known time zone',
  'not a list': 'not a list',
  'not a real date': 'not a real date',
  'not a short ID': 'not a short ID',
  'not a time': 'not a time',
  'not a web address': 'not a web address',
  'not an account ID': 'not an account ID',
  'not an object': 'unreadable',
  'not members of this file': 'not in the file',
  'not one of the choices': 'not one of the choices',
  'not text': 'not text',
  'only the first # are imported': 'only the first # are imported',
  'only the first six of eight digits were used': 'only the first six of eight digits were used',
  'only the newest # are imported': 'only the newest # are imported',
  'same as the avatar': 'the same as the picture',
  'several at one time became one, with the members of all':
    'several at the same time became one with everyone in it',
  '# tags cannot be stored': '# proxy tags can’t be stored',
  'the last pair has no suffix': 'the last pair has no suffix',
  'the mode needs a member': 'this mode needs someone',
  'the webhook must be registered again': 'add the webhook again',
  'too many, too long, or not text': 'too many, too long, or not text',
  'was linked already': 'already linked',
  'is linked to another system here': 'linked to another system here',
  'is named by the file': 'named in the file',
  'link it from that account': 'link it from that account',
  'is not named by the file': 'not named in the file',
  'above the limit of #': 'more than the # that fit here',
  'no space is left for text of this system': 'no space is left for text',
  'belongs to a row that is not imported': 'belongs to something that isn’t imported',
  'does not fit the type that the field has here': 'doesn’t fit the type of the field here',
  'groups are nested at most # deep': 'groups can be at most # deep',
  'have no readable time': 'without a readable time',
  'lasted no time': 'lasted no time',
  'incomplete, or given twice': 'incomplete, or twice in the file',
  'no such member in this file; it is a note of the system':
    'not in the file; the note is for everyone',
  'no such member in this file; it is on the board of the system':
    'not in the file; the post is on the board for everyone',
  'no member here has this name and time of creation, or several have; stays archived':
    'nobody here matches, or more than one does',
  'no group here has this name and time of creation, or several have; stays archived':
    'no group here matches, or more than one does',
  'not a value of this field': 'not a value of this field',
  'not a value of this type; archived': 'not a value of this type; stored as archived data',
  'unknown option': 'unknown option',
  'unknown type': 'unknown type',
  'voters that are not members of this file, or too many options; archived':
    'by someone who isn’t in the file, or too many options; stored as archived data',
  'has values that a reminder cannot have; archived':
    'has values that a reminder can’t have; it’s stored as archived data',
  'out of range': 'out of range',
  'not a time of day': 'not a time of day',
  'only the first system of the file is imported; the others are archived':
    'Only the first system of the file is imported. The others are stored as archived data.',
  'belongs to another system of the file; archived':
    'belongs to another system of the file; stored as archived data',
  'the picture is larger than # KiB': 'the picture is larger than # KiB',
  'the picture is no PNG, JPEG, WebP or GIF': 'the picture isn’t a PNG, JPEG, WebP or GIF',
  'the picture is damaged': 'the picture is damaged',
  'the picture has more than # pixels a side': 'the picture has more than # pixels a side',
  'the server has no PUBLIC_URL':
    'this server can’t store pictures, because its public address isn’t set',
  'no space is left for pictures of this system': 'there’s no space left for your pictures',
  'no such asset in this file': 'this picture isn’t in the file',
  'the asset has neither address nor data': 'the picture has neither an address nor data',
  'not a whole date; archived': 'not a whole date; stored as archived data',
  'no such member or field in this file, or given twice; archived':
    'for someone or a field that isn’t in the file, or there twice; stored as archived data',
}
