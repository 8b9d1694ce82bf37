import { member as table } from '../../../../model/member'
import { BulkEditSheet } from '../../components/bulkEditSheet'
import { useForm } from '../../components/form/form'
import {
  BirthdayLine,
  ColorLine,
  DescriptionLine,
  FlagLine,
  LevelLine,
  PictureLine,
  TextLine,
} from '../../components/form/lines'
import { DeleteButton, Fold, FormPage } from '../../components/form/page'
import { TagsField, TryTags } from '../../components/form/tags'
import { NotFound } from '../../components/notFound'
import { formDraft } from '../../drafts'
import { goTo, route } from '../../route'
import { type Member, members, putMembers } from '../../store'
import { editStrings } from '../../strings/edit'
import { memberStrings } from '../../strings/member'

export function MemberEdit() {
  const id = 'id' in route.value ? route.value.id.toLowerCase() : ''
  const own = members.value.find((one) => one.id === id || one.uuid === id)
  if (!own)
    return (
      <NotFound
        message={memberStrings.nobodyByThatId}
        href="#/members"
        linkText={memberStrings.toEveryone}
      />
    )
  return <Editing key={own.uuid} own={own} />
}

const basics = ['name', 'display_name', 'pronouns', 'color', 'birthday', 'description']
const pictures = ['avatar_url', 'webhook_avatar_url', 'banner']
const proxying = ['proxy_tags', 'keep_proxy', 'tts', 'autoproxy_enabled']

function Editing({ own }: { own: Member }) {
  const back = `#/members/${own.id}`
  const form = useForm<Member>(table, own, {
    path: `v2/members/${own.uuid}`,
    onSaved(saved) {
      putMembers([saved])
      goTo(back)
    },
  })
  const leave = () => {
    formDraft.value = null
    goTo('#/members')
  }
  const below = (
    <DeleteButton
      confirm={(onClose) => (
        <BulkEditSheet action="remove" chosen={[own]} onClose={onClose} onDone={leave} />
      )}
    />
  )
  return (
    <FormPage form={form} name={own.display_name || own.name} back={back} below={below}>
      <Fold title={editStrings.who} form={form} keys={basics} isFirst>
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
    </FormPage>
  )
}
