import type { FieldValue } from '../../model/members/fieldValue'
import {
  isLongDescription,
  memberBody,
  memberForm,
  patchMember,
  toMemberForm,
} from '../actions/memberForm'
import type { CustomField, Member } from '../api/types'
import { keyOf } from '../core/customFields'
import { findByRoute } from '../core/route'
import { displayName, members, memberWord, putMembers } from '../core/store'
import { EntityEditPage } from '../features/form/entityEditPage'
import { Fold, labelOf } from '../features/form/formPage'
import {
  BirthdayLine,
  ColorLine,
  DescriptionLine,
  FlagLine,
  LevelLine,
  PictureLine,
  TextLine,
} from '../features/form/lines'
import { TagsField, TryTags } from '../features/form/tags'
import { ValueLine } from '../features/form/valueLines'
import { describeBuckets, useBuckets } from '../features/friends/friends'
import { VisibleToLine } from '../features/friends/visibleToLine'

import { ArchiveMember } from '../features/members/archiveMember'
import { formatValue } from '../features/members/fieldFormat'
import { requestMember, useFields, useWholeMember } from '../features/members/useMemberData'
import {
  editStrings,
  fieldStrings,
  memberExtStrings,
  sharingStrings,
  strings,
} from '../texts/texts'
import { CheckField } from '../ui/checkField'
import { LoadProblem } from '../ui/loadProblem'
import { NotFound } from '../ui/notFound'
import { Page, Skeleton } from '../ui/page'
import { BulkEditSheet } from './bulkEditSheet'

const basics = [
  'name',
  'display_name',
  'pronouns',
  'color',
  'birthday',
  'description',
  'buckets',
  'announce_front',
]
const pictures = ['avatar_url', 'webhook_avatar_url', 'banner']
const proxying = ['proxy_tags', 'keep_proxy', 'tts', 'autoproxy_enabled']

export function MemberEdit() {
  const listed = findByRoute(members.value)
  return listed ? <Edit listed={listed} /> : <NotFound kind="members" />
}

/** Waits for the whole description, because saving a cut one would lose the rest. */
function Edit({ listed }: { listed: Member }) {
  const whole = useWholeMember(listed, requestMember, listed)
  if (whole.member) return <Loaded member={whole.member} />
  return (
    <Page title={editStrings.editOf(displayName(listed))}>
      {whole.problem === '' ? (
        <Skeleton blocks={['card']} />
      ) : (
        <LoadProblem text={whole.problem} onRetry={whole.reload} />
      )}
    </Page>
  )
}

function Loaded({ member }: { member: Member }) {
  const { data, problem, reload } = useFields()
  const buckets = useBuckets()
  const fields = data ?? []
  return (
    <EntityEditPage<Member>
      kind="members"
      entity={memberForm(fields)}
      all={[member]}
      toForm={(member) => toMemberForm(member, fields)}
      describe={(key, value) =>
        key === 'buckets'
          ? describeBuckets(buckets.data ?? [], value)
          : describeValue(fields, key, value)
      }
      onSend={({ uuid }, patch) => patchMember(uuid, memberBody(patch))}
      onSaved={(saved) => putMembers([saved])}
      below={(member) => <ArchiveMember member={member} />}
      confirmDelete={(member, onClose, onDeleted) => (
        <BulkEditSheet action="delete" chosen={[member]} onClose={onClose} onDone={onDeleted} />
      )}
    >
      {(form, member) => (
        <>
          <Fold title={editStrings.profile} form={form} keys={basics} isFirst>
            <TextLine form={form} name="name" />
            <TextLine form={form} name="display_name" />
            <TextLine form={form} name="pronouns" />
            <ColorLine form={form} name="color" />
            <BirthdayLine form={form} name="birthday" />
            <DescriptionLine
              form={form}
              name="description"
              hint={memberExtStrings.descriptionHint(isLongDescription(form.values.description))}
            />
            <LevelLine form={form} level="visibility" />
            <LevelLine form={form} level="metadata_privacy" />
            <CheckField
              id="field-custom_front"
              isSwitch
              label={labelOf('custom_front')}
              hint={memberExtStrings.customFrontEffect(memberWord.value)}
              value={form.values.custom_front === true}
              onChange={(value) => form.change('custom_front', value)}
            />
            <VisibleToLine form={form} buckets={buckets} />
            <CheckField
              id="field-announce_front"
              isSwitch
              label={labelOf('announce_front')}
              hint={sharingStrings.announceFrontMore(displayName(member))}
              value={form.values.announce_front === true}
              onChange={(value) => form.change('announce_front', value)}
            />
          </Fold>
          <Fold title={strings.fields} form={form} keys={fields.map(keyOf)}>
            {problem !== '' && <LoadProblem text={problem} onRetry={reload} />}
            {data?.length === 0 && (
              <p>
                {fieldStrings.noFields} <a href="#/fields">{fieldStrings.toFields}</a>
              </p>
            )}
            {fields.map((field) => (
              <ValueLine key={field.id} form={form} field={field} />
            ))}
          </Fold>
          <Fold title={editStrings.pictures} form={form} keys={pictures}>
            <PictureLine
              form={form}
              name="avatar_url"
              path={`members/${member.uuid}`}
              onStored={(avatar_url) => putMembers([{ ...member, avatar_url }])}
            />
            <PictureLine form={form} name="webhook_avatar_url" />
            <PictureLine form={form} name="banner" isWide />
          </Fold>
          <Fold title={editStrings.proxying} form={form} keys={proxying}>
            <TagsField form={form} name="proxy_tags" />
            <TryTags member={member} form={form} />
            <div class="line wide-line">
              <FlagLine form={form} name="keep_proxy" />
              <FlagLine form={form} name="autoproxy_enabled" />
              <FlagLine form={form} name="tts" />
            </div>
          </Fold>
        </>
      )}
    </EntityEditPage>
  )
}

function describeValue(fields: readonly CustomField[], key: string, value: unknown) {
  const field = fields.find((field) => keyOf(field) === key)
  if (!field) return
  return value === null ? editStrings.nothing : formatValue(field, value as FieldValue)
}
