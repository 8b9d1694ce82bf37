import { type Coded, renderText, type TextValues } from './coded'

/**
 * English text of each reason in the report of an import, by its code. Values are limits and counts,
 * never contents. The dashboard imports only the types.
 */
export const reasonMessages = {
  all_private:
    'Everything from a Simply Plural file arrives private: only you can see it until you change that.',
  picture_of_simply_plural:
    'Simply Plural hosted the picture and has shut down; its avatar archive may have it',
  not_utf8: 'bytes that are not UTF-8 were replaced by \uFFFD',
  more_repairs: 'further repairs that are not listed',
  name_required: 'a name is required',
  too_long: ({ max }: { max: number }) => `longer than ${max} characters`,
  cut: ({ max }: { max: number }) => `cut to ${max} characters`,
  number_as_text: 'a number instead of text',
  new_id: 'cannot be kept; a new one is generated',
  characters_removed: 'characters that cannot be stored were removed',
  color_reformatted: 'colours are written as six digits',
  date_reformatted: 'dates are written as YYYY-MM-DD, without a year as 0004',
  deleted_or_not_object: 'deleted, or not an object',
  start_and_end_swapped: 'ended before they began: start and end were swapped',
  tag_of_all: 'every tupper has this tag',
  tags_not_storable: ({ count }: { count: number }) => `${count} tags cannot be stored`,
  given_twice: 'given twice in the file',
  group_loop: 'groups contain each other',
  too_deep: ({ max }: { max: number }) => `groups are nested at most ${max} deep`,
  not_level: 'neither public nor private',
  not_flag: 'neither true nor false',
  no_members: 'no list of members',
  too_many_fronters: ({ max }: { max: number }) => `at most ${max} members front at once`,
  only_first: ({ max }: { max: number }) => `only the first ${max} are imported`,
  only_newest: ({ max }: { max: number }) => `only the newest ${max} are imported`,
  above_limit: ({ max }: { max: number }) => `above the limit of ${max}`,
  no_such_group: 'no such group in this file',
  no_such_member: 'no such member in this file',
  left_out_of_switches: ({ count }: { count: number }) =>
    `no such member in this file; left out of ${count} switches`,
  not_color: 'not a colour',
  not_count: 'not a count',
  not_date: 'not a date',
  not_guild_id: 'not a guild ID',
  not_timezone: 'not a known time zone',
  not_list: 'not a list',
  no_real_date: 'not a real date',
  not_short_id: 'not a short ID',
  not_time: 'not a time',
  not_url: 'not a web address',
  not_account_id: 'not an account ID',
  not_object: 'not an object',
  not_members: 'not members of this file',
  not_choice: 'not one of the choices',
  not_text: 'not text',
  not_storable: 'cannot be stored',
  alpha_removed: 'only the first six of eight digits were used',
  same_as_avatar: 'same as the avatar',
  switches_merged: 'several at one time became one, with the members of all',
  bracket_without_pair: 'the last pair has no suffix',
  mode_needs_member: 'the mode needs a member',
  no_member_for_mode: ({ mode }: { mode: string }) => `no such member for mode ${mode}`,
  webhook_not_registered: 'the webhook must be registered again',
  list_cut: 'too many, too long, or not text',
  linked_already: 'was linked already',
  linked_elsewhere: 'is linked to another system here',
  named_by_file: 'is named by the file',
  not_vouched: 'link it from that account',
  not_named_by_file: 'is not named by the file',
  no_space_for_text: 'no space is left for text of this system',
  owner_not_imported: 'belongs to a row that is not imported',
  other_field_type: 'does not fit the type that the field has here',
  no_readable_time: 'have no readable time',
  no_duration: 'lasted no time',
  incomplete: 'incomplete, or given twice',
  note_of_system: 'no such member in this file; it is a note of the system',
  board_of_system: 'no such member in this file; it is on the board of the system',
  no_matching_member:
    'no member here has this name and time of creation, or several have; stays archived',
  no_matching_group:
    'no group here has this name and time of creation, or several have; stays archived',
  not_field_value: 'not a value of this field',
  not_type_value: 'not a value of this type; archived',
  unknown_option: 'unknown option',
  unknown_type: 'unknown type',
  voters_archived: 'voters that are not members of this file, or too many options; archived',
  reminder_archived: 'has values that a reminder cannot have; archived',
  out_of_range: 'out of range',
  not_time_of_day: 'not a time of day',
  other_systems_archived: 'only the first system of the file is imported; the others are archived',
  other_system_archived: 'belongs to another system of the file; archived',
  picture_unknown_type: 'the picture is no PNG, JPEG, WebP or GIF',
  picture_too_large: ({ max }: { max: number }) => `the picture is larger than ${max} KiB`,
  picture_too_many_pixels: ({ max }: { max: number }) =>
    `the picture has more than ${max} pixels a side`,
  picture_damaged: 'the picture is damaged',
  no_public_url: 'the server has no PUBLIC_URL',
  no_space_for_pictures: 'no space is left for pictures of this system',
  no_such_asset: 'no such asset in this file',
  asset_empty: 'the asset has neither address nor data',
  date_archived: 'not a whole date; archived',
  value_archived: 'no such member or field in this file, or given twice; archived',
  picture_not_in_folder: 'the folder does not have this picture',
  picture_unreadable: 'the file of this picture cannot be read',
}

export type ReasonCode = keyof typeof reasonMessages

type PlainReason = {
  [C in ReasonCode]: (typeof reasonMessages)[C] extends string ? C : never
}[ReasonCode]

/** Code of a reason, with its values if it has any. */
export type Reason = PlainReason | Coded<ReasonCode>

export interface ReportedReason {
  why: string
  code: ReasonCode
  values: TextValues
}

export function reportReason(reason: Reason): ReportedReason {
  const { code, values } = typeof reason === 'string' ? { code: reason, values: {} } : reason
  return { why: renderText(reasonMessages, { code, values }) ?? code, code, values }
}
