import { type Coded, renderText } from './coded'
import { describeId, type Platform } from './platform'
import { webhookMessages } from './webhookMessages'

/** Limit, and the length or number that exceeds it. */
type Excess = { max: number; actual: number }

type Choices = { choices: readonly string[] }

/**
 * English message of each problem, by its code. Codes and the names of values are part of `/ext/v1`.
 * Values are limits and names of the API, never contents. The dashboard imports only the types.
 */
export const problemMessages = {
  // Presence and length
  required: 'Required.',
  empty: 'Must not be empty.',
  too_long: ({ max }: Excess) => `Too long: at most ${max} characters.`,
  not_storable: 'Contains characters that cannot be stored.',
  too_many: ({ max }: Excess) => `At most ${max}.`,
  too_many_items: ({ max }: Excess) => `At most ${max} items.`,
  too_many_ids: ({ max }: Excess) => `At most ${max} IDs.`,
  too_many_options: ({ max }: Excess) => `At most ${max} options.`,
  too_many_members: ({ max }: Excess) => `At most ${max} members.`,
  too_many_posts: ({ max }: Excess) => `At most ${max} posts.`,
  too_many_proxy_tags: ({ max }: Excess) => `At most ${max} proxy tags.`,
  proxy_tag_too_long: ({ max }: Excess) =>
    `A proxy tag is too long: prefix and suffix together at most ${max} characters.`,

  // Types of values
  not_text: 'Must be a string.',
  not_text_or_null: 'Must be a string or null.',
  not_flag: 'Must be true or false.',
  not_flag_or_null: 'Must be true, false or null.',
  not_number_or_null: 'Must be a number or null.',
  not_count: 'Must be a whole number, 0 or more.',
  not_count_or_null: 'Must be a whole number, 0 or more, or null.',
  not_positive: 'Must be a whole number, 1 or more.',
  out_of_range: ({ min, max }: { min: number; max: number }) =>
    `Must be a whole number between ${min.toLocaleString('en')} and ${max.toLocaleString('en')}, or null.`,
  not_list: 'Must be a list.',
  not_texts: 'Must be a list of strings.',
  not_ids: 'Must be a list of IDs.',
  not_uuids: 'Must be a list of UUIDs.',
  not_references: 'Must be a list of references.',
  not_options: 'Must be a list of options.',
  not_proxy_tags: 'Must be a list of proxy tags.',
  not_proxy_tag: 'A proxy tag is an object with "prefix" and "suffix".',
  not_proxy_tag_texts: 'A proxy tag\'s "prefix" and "suffix" are strings or null.',
  not_object: 'Must be an object.',
  not_values: 'Must be an object of values.',
  not_privacy: 'Must be an object of privacy levels.',
  not_level: 'Must be "public", "private" or null.',
  not_id: ({ platform }: { platform: Platform }) => `Must be ${describeId(platform)}, as a string.`,

  // Formats
  not_choice: ({ choices }: Choices) => `Must be one of: ${choices.join(', ')}.`,
  not_choice_or_null: ({ choices }: Choices) => `Must be one of: ${choices.join(', ')}; or null.`,
  not_choices: ({ choices }: Choices) => `Each must be one of: ${choices.join(', ')}.`,
  not_color: 'Must be six hexadecimal digits, without "#".',
  not_url: 'Must be an absolute http or https address.',
  not_timezone: 'Must be a time zone name such as "Europe/Oslo".',
  not_date: 'Must be a real date, YYYY-MM-DD.',
  not_time_of_day: 'Must be a time of day, HH:MM.',
  not_time: 'Must be an ISO 8601 time.',
  not_in_future: 'Must be in the future.',
  too_far_ahead: 'Must not be more than a day ahead.',
  outside_days: ({ first, last }: { first: string; last: string }) =>
    `Must be between ${first} and ${last}.`,

  // Custom fields, their values and options
  not_date_value: 'Must be YYYY-MM-DD or null.',
  not_month: 'Must be MM or null.',
  not_year: 'Must be YYYY or null.',
  not_month_year: 'Must be YYYY-MM or null.',
  not_month_day: 'Must be MM-DD or null.',
  not_moment: 'Must be YYYY-MM-DDTHH:MM or null.',
  not_option: 'Must be the ID of an option or null.',
  not_option_ids: 'Must be a list of IDs of options or null.',
  option_twice: 'An option is named twice.',
  options_required: 'At least one option is required.',
  options_only_for_choices: 'Only choices have options.',
  option_not_found: 'Option not found.',
  no_such_option: 'There is no such option.',
  field_not_found: 'Field not found.',

  // Members and the front
  member_not_found: 'Member not found.',
  custom_front: 'Must not be a custom front.',
  not_in_front: 'Must be in front at that time.',
  not_fronter: 'Must be a reference, or an object with `id`.',
  status_exists: 'There is a status at this time.',
  only_comment_has_author: 'Only a comment has an author.',
  not_null_in_mode: ({ mode }: { mode: string }) => `Must be null while the mode is ${mode}.`,

  // Journal and reminders
  title_or_text_required: 'Title or text is required.',
  room_post_on_board: 'A post in a room is on no board.',
  room_post_read: 'Posts in rooms are neither read nor unread.',
  other_thread: 'Must be a post of the same room or board.',
  not_for_or_ids: 'Give either `for` or `ids`.',
  only_for_kind: ({ kind }: { kind: string }) => `Only a reminder of the kind ${kind} has this.`,

  // Lists of changes
  read_only: 'Cannot be changed here.',
  no_valid_key: 'No valid key was given.',
  named_twice: 'Named twice.',

  // Access
  unusable_name: 'Must be another name.',
  only_for_watch: 'Only for tokens with the scope watch.',
  token_or_code: 'Either a token or a code.',
  code_or_invite: 'Either a code or an invite.',

  // Bots
  not_previous: 'Must be an object with "name" and "member", a UUID or null.',
  not_limits: 'Must be an object with "content" and "name".',

  // Webhooks and push services
  not_signing_token: 'Must be 16 to 128 characters of plain ASCII without spaces.',
  not_public_key: 'Must be a public key on P-256.',
  not_secret: 'Must be 16 bytes in Base64url.',
  ...webhookMessages,
}

export type ProblemCode = keyof typeof problemMessages

/** Renders the English message of a problem. */
export function problemMessage(problem: Coded<ProblemCode>): string {
  return renderText(problemMessages, problem) ?? problem.code
}
