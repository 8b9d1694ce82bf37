import { system as table } from '../../model/systems/system'
import { request } from '../api/client'
import { systemPath } from '../api/paths'
import type { System } from '../api/types'
import { goTo } from '../core/route'
import { system } from '../core/store'
import { useForm } from '../features/form/form'
import { Fold, FormPage } from '../features/form/formPage'
import { ColorLine, DescriptionLine, PictureLine, TextLine } from '../features/form/lines'
import { editStrings, strings, systemStrings } from '../texts/texts'

const basics = ['name', 'tag', 'pronouns', 'color', 'description']
const pictures = ['avatar_url', 'banner']

export function SystemEdit() {
  return system.value && <Editing own={system.value} />
}

function Editing({ own }: { own: System }) {
  const form = useForm<System>(table, own, {
    send: (body) => request(systemPath, { method: 'PATCH', body }),
    onSaved(saved) {
      system.value = saved
      goTo('#/system')
    },
  })
  const name = own.name || strings.system
  const below = (
    <a class="beside" href="#/privacy">
      {systemStrings.toPrivacy}
    </a>
  )
  return (
    <FormPage
      form={form}
      title={editStrings.editOf(name)}
      back="#/system"
      backName={name}
      below={below}
    >
      <Fold title={editStrings.profile} form={form} keys={basics} isFirst>
        <TextLine form={form} name="name" />
        <TextLine form={form} name="tag" />
        <TextLine form={form} name="pronouns" />
        <ColorLine form={form} name="color" />
        <DescriptionLine form={form} name="description" />
      </Fold>
      <Fold title={editStrings.pictures} form={form} keys={pictures} isFirst>
        <PictureLine
          form={form}
          name="avatar_url"
          path="systems/@me"
          onStored={(avatar_url) => {
            system.value = { ...own, avatar_url }
          }}
        />
        <PictureLine form={form} name="banner" isWide />
      </Fold>
    </FormPage>
  )
}
