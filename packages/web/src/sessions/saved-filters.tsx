import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { chipClass } from '../design/chip.tsx'
import { words } from '../words.ts'
import type { Change } from './filter-bar.tsx'
import { savedFiltersQuery } from './queries.ts'
import type { SessionsSearch } from './search.ts'

const SavedDialog = lazy(() => import('./saved-dialog.tsx'))

/** The way to filters that were kept under a name. */
export function SavedFilters(props: {
  readonly search: SessionsSearch
  readonly onUse: (change: Change) => void
}) {
  const [open, setOpen] = useState(false)
  const { data: saved } = useQuery(savedFiltersQuery)
  const client = useQueryClient()
  return (
    <>
      <button type="button" aria-haspopup="dialog" className={chipClass(false)} onClick={() => setOpen(true)}>
        {words.sessions.filter.saved}
      </button>
      {open && (
        <Suspense>
          <SavedDialog
            saved={saved ?? []}
            search={props.search}
            onUse={props.onUse}
            onChanged={() => void client.invalidateQueries({ queryKey: savedFiltersQuery.queryKey })}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}
