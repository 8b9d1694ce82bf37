import { group as table } from '../../../../model/group'
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

const basics = ['name', 'display_name', 'color', 'description']
const pictures = ['icon', 'banner']

export function GroupEdit() {
  return (
    <EntityEditPage<Group>
      kind="groups"
      entity={table}
      all={groups.value}
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
