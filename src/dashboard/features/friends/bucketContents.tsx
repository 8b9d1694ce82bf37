import { useState } from 'preact/hooks'
import { request } from '../../api/client'
import { contentsPath } from '../../api/resources'
import { type Bucket, type BucketKind, bucketKinds } from '../../api/types'
import { announce, showToast } from '../../core/actions'
import { groups, loadGroups, loadMembers, memberWord } from '../../core/store'
import { useAction } from '../../core/useAction'
import { fold } from '../../lib/search'
import { sharingStrings, strings } from '../../texts/texts'
import { ChipGroup } from '../../ui/chipGroup'
import { Form } from '../../ui/form/textField'
import { LoadProblem } from '../../ui/loadProblem'
import { Skeleton } from '../../ui/page'
import { ProblemText } from '../../ui/problemText'
import { Search } from '../../ui/searchField'
import { Sheet } from '../../ui/sheet'
import { SubmitButton } from '../../ui/submitButton'
import { CheckList, type Choosable } from '../members/checkList'
import { MemberPicker } from '../members/memberPicker'
import { useFields } from '../members/useMemberData'
import { contentsOf } from './friends'

interface Props {
  bucket: Bucket
  onClose: () => void
  onDone: () => void
}

type Chosen = Readonly<Record<BucketKind, ReadonlySet<string>>>

/** Selects the members, groups and fields that the friends in a bucket see. */
export function BucketContents({ bucket, onClose, onDone }: Props) {
  const { data: fields, problem: fieldsProblem, reload } = useFields()
  const [kind, setKind] = useState<BucketKind>('members')
  const [changed, setChanged] = useState<Partial<Chosen>>({})
  const { onSubmit, problem, isBusy } = useAction()
  const before: Chosen = contentsOf(bucket, fields ?? [])
  const chosen = { ...before, ...changed }
  const choose = (next: ReadonlySet<string>) => setChanged({ ...changed, [kind]: next })
  const isChanged = bucketKinds.some(
    (name) => chosen[name].symmetricDifference(before[name]).size > 0,
  )
  const save = async () => {
    if (!isChanged) return onClose()
    const lists = Object.entries(changed).map(([key, uuids]) => [key, [...uuids]])
    const body = Object.fromEntries(lists)
    await request(contentsPath(bucket.id), { method: 'PUT', body })
    await Promise.all([loadMembers(), loadGroups()])
    showToast({ text: strings.isSaved })
    onDone()
  }
  const titles = sharingStrings.kinds(memberWord.value)
  return (
    <Sheet
      heading={sharingStrings.contentsNamed(bucket.name)}
      isChanged={isChanged}
      onClose={onClose}
    >
      <Form onSubmit={onSubmit(save)}>
        <ChipGroup
          legend={sharingStrings.whichKind}
          isLegendHidden
          options={bucketKinds.map((name) => [
            name,
            sharingStrings.counted(titles[name], chosen[name].size),
          ])}
          value={kind}
          onChange={setKind}
        />
        {kind === 'members' && <MemberPicker chosen={chosen.members} onChange={choose} />}
        {kind === 'groups' && (
          <Picker
            all={groups.value.map((group) => ({
              uuid: group.uuid,
              name: group.display_name || group.name,
              avatar: { ...group, avatar_url: group.icon },
            }))}
            chosen={chosen.groups}
            onChange={choose}
          />
        )}
        {kind === 'fields' &&
          (fields ? (
            <Picker
              all={fields.map(({ id, name }) => ({ uuid: id, name }))}
              chosen={chosen.fields}
              onChange={choose}
            />
          ) : fieldsProblem === '' ? (
            <Skeleton blocks={['rows']} />
          ) : (
            <LoadProblem text={fieldsProblem} onRetry={reload} />
          ))}
        <div class="sheet-foot">
          <ProblemText text={problem} />
          <SubmitButton isBusy={isBusy}>{strings.save}</SubmitButton>
        </div>
      </Form>
    </Sheet>
  )
}

interface PickerProps {
  all: readonly Choosable[]
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
}

/** Searchable list of groups or fields with check boxes. */
function Picker({ all, chosen, onChange }: PickerProps) {
  const [typed, setTyped] = useState('')
  const find = (text: string) => all.filter(({ name }) => fold(name).includes(fold(text)))
  const matches = find(typed)
  const search = (value: string) => {
    setTyped(value)
    announce(strings.found(find(value).length))
  }
  if (all.length === 0) return <p class="quiet">{sharingStrings.nothingToChoose}</p>
  return (
    <>
      <Search value={typed} onChange={search} hint={sharingStrings.searchThings} />
      {matches.length === 0 && <p class="quiet">{sharingStrings.nothingFound}</p>}
      <CheckList all={matches} listKey={typed} chosen={chosen} onChange={onChange} />
    </>
  )
}
