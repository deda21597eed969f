import type { SavedFilter } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { type FormEvent, useState } from 'react'
import { useHasRole } from '../api/me.ts'
import { deleteAt, putJson } from '../api/request.ts'
import { Button, IconButton } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { toast } from '../design/toast.tsx'
import { words } from '../words.ts'
import { type Change, NOTHING } from './filter-bar.tsx'
import { isNarrowed, type SessionsSearch, toSavedQuery, toSearch } from './search-params.ts'
import { errorText } from './strips.tsx'

const w = words.sessions.filter
const LONGEST = 80

/** Lists the saved filters to use or remove, and saves the current ones. */
export default function SavedDialog(props: {
  readonly saved: readonly SavedFilter[]
  readonly search: SessionsSearch
  readonly onUse: (change: Change) => void
  readonly onChanged: () => void
  readonly onClose: () => void
}) {
  const { saved, search, onChanged, onClose } = props
  const mayKeep = useHasRole('member')
  const [name, setName] = useState('')
  const isSet = isNarrowed(search) || search.q !== undefined
  const save = (event: FormEvent) => {
    event.preventDefault()
    void reportResult(async () => {
      await putJson(filterPath(name.trim()), { query: toSavedQuery(search) })
      setName('')
      return w.savedAs(name.trim())
    }).then(onChanged)
  }
  const remove = ({ name: gone, query }: SavedFilter) =>
    void reportResult(async () => {
      await deleteAt(filterPath(gone))
      const undo = () => void putJson(filterPath(gone), { query }).then(onChanged)
      toast({ text: w.removed(gone), undo })
      return null
    }).then(onChanged)
  return (
    <Dialog open onClose={onClose} title={w.savedTitle}>
      <div className="flex min-h-0 flex-col gap-3 overflow-y-auto p-4">
        {saved.length === 0 && mayKeep && <p className="text-text-2">{w.savedNone}</p>}
        <ul className="flex flex-col gap-1">
          {saved.map((filter) => (
            <li key={filter.name} className="flex items-center gap-2">
              <span className="min-w-0 flex-1 truncate">{toVisibleLine(filter.name, LONGEST)}</span>
              <Button
                onClick={() => {
                  props.onUse({ ...NOTHING, q: undefined, ...toSearch(filter.query) })
                  onClose()
                }}
              >
                {w.use}
              </Button>
              {mayKeep && (
                <IconButton
                  icon="close"
                  kind="quiet"
                  label={w.remove(filter.name)}
                  onClick={() => remove(filter)}
                />
              )}
            </li>
          ))}
        </ul>
        {!mayKeep ? (
          <p className="border-t border-line pt-3 text-12 text-text-3">{w.saveForMembers}</p>
        ) : isSet ? (
          <form className="flex items-center gap-2 border-t border-line pt-3" onSubmit={save}>
            <input
              aria-label={w.saveName}
              placeholder={w.saveName}
              value={name}
              maxLength={LONGEST}
              onChange={(event) => setName(event.target.value)}
              className="h-7 min-w-0 flex-1 rounded-control border border-line-strong bg-surface px-2.5 text-12 touch:h-11"
            />
            <Button kind="main" type="submit" disabled={name.trim() === ''}>
              {w.save}
            </Button>
          </form>
        ) : (
          <p className="border-t border-line pt-3 text-12 text-text-3">{w.saveNothing}</p>
        )}
      </div>
    </Dialog>
  )
}

const filterPath = (name: string): string => `/api/past/filters/${encodeURIComponent(name)}`

async function reportResult(work: () => Promise<string | null>): Promise<void> {
  try {
    const text = await work()
    if (text !== null) toast({ text })
  } catch (error) {
    toast({ text: errorText(error), tone: 'failed' })
  }
}
