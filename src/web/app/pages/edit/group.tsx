import { entity, isEmptyPatch, type JsonObject } from '../../../../model/entity'
import { groupExt } from '../../../../model/ext/groupExt'
import { group } from '../../../../model/group'
import { showToast } from '../../actions'
import { requestOwn } from '../../api'
import { ConfirmDelete } from '../../components/confirmDelete'
import { EntityEditPage } from '../../components/form/entityEditPage'
import {
  ColorLine,
  DescriptionLine,
  LevelLine,
  PictureLine,
  TextLine,
} from '../../components/form/lines'
import { Fold } from '../../components/form/page'
import { Sheet } from '../../components/sheet'
import { type Group, groups, memberWord, putGroup, removeGroupFromStore } from '../../store'
import { bulkStrings, editStrings, memberStrings } from '../../strings'

/** Fields of the form of a group: those of v2, and what the extension API adds. */
const groupForm = entity('group', { ...group.fields, emoji: groupExt.fields.emoji }, group.levels)

const basics = ['name', 'display_name', 'emoji', 'color', 'description']
const pictures = ['icon', 'banner']

export function GroupEdit() {
  return (
    <EntityEditPage<Group>
      kind="groups"
      entity={groupForm}
      all={groups.value}
      onSend={saveGroup}
      onSaved={putGroup}
      confirmDelete={(own, onClose, onDeleted) => (
        <DeleteGroup own={own} onClose={onClose} onDeleted={onDeleted} />
      )}
    >
      {(form) => (
        <>
          <Fold title={editStrings.profile} form={form} keys={basics} isFirst>
            <TextLine form={form} name="name" />
            <TextLine form={form} name="display_name" />
            <TextLine form={form} name="emoji" />
            <ColorLine form={form} name="color" />
            <DescriptionLine form={form} name="description" />
            <LevelLine form={form} level="visibility" />
            <LevelLine form={form} level="list_privacy" />
            <LevelLine form={form} level="metadata_privacy" />
          </Fold>
          <Fold title={editStrings.pictures} form={form} keys={pictures}>
            <PictureLine form={form} name="icon" />
            <PictureLine form={form} name="banner" isWide />
          </Fold>
        </>
      )}
    </EntityEditPage>
  )
}

async function saveGroup(own: Group, { emoji, ...body }: JsonObject): Promise<Group | null> {
  const { uuid } = own
  const saved = isEmptyPatch(body)
    ? own
    : await requestOwn<Group>(`v2/groups/${uuid}`, { method: 'PATCH', body })
  if (emoji === undefined || !saved) return saved
  const path = `ext/v1/groups/${uuid}`
  const ext = await requestOwn<Pick<Group, 'emoji'>>(path, { method: 'PATCH', body: { emoji } })
  return { ...saved, emoji: ext?.emoji ?? null }
}

interface DeleteProps {
  own: Group
  onClose: () => void
  onDeleted: () => void
}

function DeleteGroup({ own, onClose, onDeleted }: DeleteProps) {
  const name = own.display_name || own.name
  const remove = async () => {
    await requestOwn(`v2/groups/${own.uuid}`, { method: 'DELETE' })
    onDeleted()
    removeGroupFromStore(own.uuid)
    showToast({ text: memberStrings.groupIsDeleted(memberWord.value) })
  }
  return (
    <Sheet heading={bulkStrings.deleteAsk(name)} onClose={onClose}>
      <ConfirmDelete
        effect={editStrings.deleteGroupEffect(memberWord.value)}
        label={bulkStrings.typeToConfirm(own.name)}
        expected={own.name}
        onDelete={remove}
      />
    </Sheet>
  )
}
