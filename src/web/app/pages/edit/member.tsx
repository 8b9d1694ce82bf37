import { member as table } from '../../../../model/member'
import { BulkEditSheet } from '../../components/bulkEditSheet'
import { EntityEditPage } from '../../components/form/entityEditPage'
import {
  BirthdayLine,
  ColorLine,
  DescriptionLine,
  FlagLine,
  LevelLine,
  PictureLine,
  TextLine,
} from '../../components/form/lines'
import { Fold } from '../../components/form/page'
import { TagsField, TryTags } from '../../components/form/tags'
import { type Member, members, putMembers } from '../../store'
import { editStrings } from '../../strings'

const basics = ['name', 'display_name', 'pronouns', 'color', 'birthday', 'description']
const pictures = ['avatar_url', 'webhook_avatar_url', 'banner']
const proxying = ['proxy_tags', 'keep_proxy', 'tts', 'autoproxy_enabled']

export function MemberEdit() {
  return (
    <EntityEditPage<Member>
      kind="members"
      entity={table}
      all={members.value}
      onSaved={(saved) => putMembers([saved])}
      confirmDelete={(own, onClose, onDeleted) => (
        <BulkEditSheet action="delete" chosen={[own]} onClose={onClose} onDone={onDeleted} />
      )}
    >
      {(form, own) => (
        <>
          <Fold title={editStrings.profile} form={form} keys={basics} isFirst>
            <TextLine form={form} name="name" />
            <TextLine form={form} name="display_name" />
            <TextLine form={form} name="pronouns" />
            <ColorLine form={form} name="color" />
            <BirthdayLine form={form} name="birthday" />
            <DescriptionLine form={form} name="description" />
            <LevelLine form={form} level="visibility" />
            <LevelLine form={form} level="metadata_privacy" />
          </Fold>
          <Fold title={editStrings.pictures} form={form} keys={pictures}>
            <PictureLine form={form} name="avatar_url" />
            <PictureLine form={form} name="webhook_avatar_url" />
            <PictureLine form={form} name="banner" isWide />
          </Fold>
          <Fold title={editStrings.proxying} form={form} keys={proxying}>
            <TagsField form={form} name="proxy_tags" />
            <TryTags own={own} form={form} />
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
