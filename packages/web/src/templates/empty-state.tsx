import { useQuery } from '@tanstack/react-query'
import { useMay } from '../api/me.ts'
import { Button } from '../design/button.tsx'
import { Code } from '../design/code.tsx'
import { Empty } from '../design/empty.tsx'
import { words } from '../words.ts'
import { makeTemplate } from './make-dialog-state.ts'
import { suggestedQuery } from './queries.ts'
import { SuggestedList } from './suggestions.tsx'

const w = words.templates

/** Explains templates and suggests sessions before the first one exists. */
export function NoTemplates({ folder }: { readonly folder: string }) {
  const suggested = useQuery(suggestedQuery).data
  const mayMake = useMay('member')
  return (
    <Empty title={w.empty.title} eye>
      <p className="text-text-2">{w.empty.body}</p>
      {suggested && suggested.length > 0 && (
        <>
          <p className="text-text-2">{w.empty.suggested}</p>
          <SuggestedList suggested={suggested} />
        </>
      )}
      {suggested?.length === 0 && <p className="text-text-2">{w.empty.none}</p>}
      <p className="text-12 text-text-3">
        {w.empty.folder} <Code>{folder}</Code>
      </p>
      {mayMake && (
        <div className="pt-1">
          <Button kind="main" icon="plus" onClick={() => makeTemplate()}>
            {w.actions.make}
          </Button>
        </div>
      )}
    </Empty>
  )
}
