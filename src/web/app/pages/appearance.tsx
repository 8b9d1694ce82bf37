import { useState } from 'preact/hooks'
import { type Appearance, appearance, changeAppearance, choices } from '../appearance'
import { Page } from '../components/page'
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
    <fieldset class="choice">
      <legend>{strings.appearanceNames[name]}</legend>
      <div class="chips">
        {choices[name].map((value) => (
          <button
            key={value}
            type="button"
            class="chip"
            aria-pressed={appearance.value[name] === value}
            onClick={() => changeAppearance({ [name]: value })}
          >
            {titles[value]}
          </button>
        ))}
      </div>
      {name === 'pictures' && <p class="quiet small">{strings.picturesMore}</p>}
    </fieldset>
  )
}

const commonWords = ['members', 'alters', 'headmates', 'parts', 'people']

function WordForMembers() {
  const { word } = preferences.value
  const [customWord, setCustomWord] = useState(commonWords.includes(word) ? '' : word)
  const { run, problem } = useAction({ canOverlap: true })
  const save = (value: string) => run(() => savePreferences({ word: value }))
  return (
    <div class="card">
      <fieldset class="choice">
        <legend>{strings.wordForMembers}</legend>
        <div class="chips">
          {commonWords.map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={word === one}
              aria-disabled={isOffline.value}
              onClick={() => save(one)}
            >
              {one}
            </button>
          ))}
        </div>
      </fieldset>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (customWord.trim() !== '') save(customWord.trim())
        }}
      >
        <label class="field">
          {strings.ownWord}
          <input
            value={customWord}
            maxLength={30}
            aria-describedby="word-problem"
            onInput={(event) => setCustomWord(event.currentTarget.value)}
          />
        </label>
        <p id="word-problem" class="problem" role="alert">
          {problem}
        </p>
        <button type="submit" aria-disabled={isOffline.value}>
          {strings.save}
        </button>
      </form>
      <p class="quiet small">{strings.wordMore}</p>
    </div>
  )
}
