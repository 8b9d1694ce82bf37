import { useState } from 'preact/hooks'
import { type Appearance, appearance, changeAppearance, choices } from '../appearance'
import { ChipGroup } from '../components/chipGroup'
import { Page } from '../components/page'
import { ProblemText } from '../components/problemText'
import { isOffline, preferences, savePreferences } from '../store'
import { strings } from '../strings'
import { useAction } from '../useAction'

/** Appearance in this browser, and the word for members, which is stored on the server. */
export function AppearancePage() {
  return (
    <Page title={strings.appearance}>
      <p class="quiet">{strings.keptHere}</p>
      <div class="card">
        {Object.keys(choices).map((name) => (
          <Choice key={name} name={name as keyof Appearance} />
        ))}
      </div>
      <WordForMembers />
    </Page>
  )
}

function Choice({ name }: { name: keyof Appearance }) {
  const titles: Readonly<Record<string, string>> = strings.appearanceValues[name]
  return (
    <ChipGroup
      legend={strings.appearanceNames[name]}
      options={choices[name].map((value) => [value, titles[value] ?? value])}
      value={appearance.value[name]}
      onChange={(value) => changeAppearance({ [name]: value })}
    >
      {name === 'pictures' && <p class="quiet small">{strings.picturesMore}</p>}
    </ChipGroup>
  )
}

const commonWords = ['members', 'alters', 'headmates', 'parts', 'people']

function WordForMembers() {
  const { word } = preferences.value
  const [customWord, setCustomWord] = useState(commonWords.includes(word) ? '' : word)
  const { run, onSubmit, problem } = useAction({ canOverlap: true })
  const save = (value: string) => savePreferences({ word: value })
  return (
    <div class="card">
      <ChipGroup
        legend={strings.wordForMembers}
        options={commonWords.map((one) => [one, one])}
        value={word}
        onChange={(value) => run(() => save(value))}
        isDisabled={isOffline.value}
      />
      <form onSubmit={onSubmit(() => customWord.trim() !== '' && save(customWord.trim()))}>
        <label class="field">
          {strings.ownWord}
          <input
            value={customWord}
            maxLength={30}
            aria-describedby="word-problem"
            onInput={(event) => setCustomWord(event.currentTarget.value)}
          />
        </label>
        <ProblemText id="word-problem" text={problem} />
        <button type="submit" aria-disabled={isOffline.value}>
          {strings.save}
        </button>
      </form>
      <p class="quiet small">{strings.wordMore}</p>
    </div>
  )
}
