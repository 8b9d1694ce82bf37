import { entity, isEmptyPatch, type JsonObject } from '../../model/core/entity'
import { group } from '../../model/groups/group'
import { groupExt } from '../../model/groups/groupExt'
import { api } from '../api/resources'
import type { Group } from '../api/types'
import { showToast } from '../core/actions'
import { groups, memberWord, putGroup, readGroup, removeGroupFromStore } from '../core/store'
import { EntityEditPage } from '../features/form/entityEditPage'
import { Fold } from '../features/form/formPage'
import {
  ColorLine,
  DescriptionLine,
  LevelLine,
  PictureLine,
  TextLine,
} from '../features/form/lines'
import { describeBuckets, useBuckets } from '../features/friends/friends'
import { VisibleToLine } from '../features/friends/visibleToLine'
import { bulkStrings, editStrings, memberStrings } from '../texts/texts'
import { ConfirmDelete } from '../ui/confirmDelete'
import { Sheet } from '../ui/sheet'

/** Fields of the form of a group: those of v2, and what the extension API adds. */
const groupForm = entity(
  'group',
  { ...group.fields, emoji: groupExt.fields.emoji, buckets: groupExt.fields.buckets },
  group.levels,
)

const basics = ['name', 'display_name', 'emoji', 'color', 'description', 'buckets']
const pictures = ['icon', 'banner']

export function GroupEdit() {
  const buckets = useBuckets()
  return (
    <EntityEditPage<Group>
      kind="groups"
      entity={groupForm}
      all={groups.value}
      describe={(key, value) =>
        key === 'buckets' ? describeBuckets(buckets.data ?? [], value) : undefined
      }
      onSend={saveGroup}
      onSaved={putGroup}
      confirmDelete={(group, onClose, onDeleted) => (
        <DeleteGroup group={group} onClose={onClose} onDeleted={onDeleted} />
      )}
    >
      {(form, group) => (
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
            <VisibleToLine form={form} buckets={buckets} />
          </Fold>
          <Fold title={editStrings.pictures} form={form} keys={pictures}>
            <PictureLine
              form={form}
              name="icon"
              path={`groups/${group.uuid}`}
              onStored={(icon) => putGroup({ ...group, icon })}
            />
            <PictureLine form={form} name="banner" isWide />
          </Fold>
        </>
      )}
    </EntityEditPage>
  )
}

async function saveGroup(
  group: Group,
  { emoji, buckets, ...body }: JsonObject,
): Promise<Group | null> {
  const { uuid } = group
  const saved = isEmptyPatch(body) ? group : await api.v2Groups.patch(uuid, body)
  if ((emoji === undefined && buckets === undefined) || !saved) return saved
  const ext = await api.groups.patch(uuid, { emoji, buckets })
  return ext && readGroup(ext)
}

interface DeleteProps {
  group: Group
  onClose: () => void
  onDeleted: () => void
}

function DeleteGroup({ group, onClose, onDeleted }: DeleteProps) {
  const name = group.display_name || group.name
  const remove = async () => {
    await api.v2Groups.remove(group.uuid)
    onDeleted()
    removeGroupFromStore(group.uuid)
    showToast({ text: memberStrings.groupIsDeleted(memberWord.value) })
  }
  return (
    <Sheet heading={bulkStrings.deleteAsk(name)} onClose={onClose}>
      <ConfirmDelete
        effect={editStrings.deleteGroupEffect(memberWord.value)}
        label={bulkStrings.typeToConfirm(group.name)}
        expected={group.name}
        onDelete={remove}
      />
    </Sheet>
  )
}
