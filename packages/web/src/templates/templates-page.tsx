import type { ListedTemplate, TaskType, TemplatesReply } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo, useRef } from 'react'
import { NoMatch } from '../design/no-match.tsx'
import { Strip } from '../design/strip.tsx'
import { Page } from '../shell/page.tsx'
import { useMedia } from '../shell/use-media.ts'
import { words } from '../words.ts'
import { deleteWithUndo } from './actions.ts'
import { EffectCard } from './effect-card.tsx'
import { GhostRows } from './ghost-rows.tsx'
import { NoTemplates } from './nothing.tsx'
import { TemplatePanel } from './panel.tsx'
import { templateQuery, templatesQuery } from './queries.ts'
import { readSearch, type TemplatesSearch } from './search.ts'
import { TemplateStrips } from './strips.tsx'
import { Suggestions } from './suggestions.tsx'
import { TemplateTable } from './template-table.tsx'
import { Actions, Toolbar } from './toolbar.tsx'
import { addressOf, keyOf, placeInList, type Which } from './which.ts'

const w = words.templates
const route = getRouteApi('/templates')

type Change = { readonly [K in keyof TemplatesSearch]?: TemplatesSearch[K] | undefined }
/** No template is named. */
const NONE = { name: undefined, place: undefined }

export default function TemplatesPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data: reply, error, dataUpdatedAt, refetch } = useQuery(templatesQuery)
  const go = useCallback(
    (change: Change) =>
      void navigate({ search: (before) => readSearch({ ...before, ...change }), replace: true }),
    [navigate],
  )
  const hasSome = reply !== undefined && reply.templates.length > 0
  return (
    <Page title={w.title} {...(hasSome ? { sub: subOf(reply) } : {})}>
      <TemplateStrips reply={reply} failure={error} readAt={dataUpdatedAt} onRetry={() => void refetch()} />
      {!reply && error === null && <GhostRows />}
      {reply && !hasSome && <NoTemplates folder={reply.folder} />}
      {hasSome && <Templates reply={reply} search={search} go={go} />}
    </Page>
  )
}

function Templates(props: {
  readonly reply: TemplatesReply
  readonly search: TemplatesSearch
  readonly go: (change: Change) => void
}) {
  const { reply, search, go } = props
  const grid = useRef<HTMLTableElement>(null)
  const narrow = useMedia('(width < 760px)')
  const tight = useMedia('(width < 900px)')
  const beside = useMedia('(width >= 1281px)')
  const shown = useMemo(
    () => reply.templates.filter(({ task_type: type }) => search.type === undefined || type === search.type),
    [reply.templates, search.type],
  )
  const named = placeInList(shown, search)
  // The first is told of where none was asked for, or the one that was is gone.
  const at = named === -1 ? 0 : named
  const chosen: ListedTemplate | undefined = shown[at]
  const isOpen = chosen !== undefined && (beside || named !== -1)
  const close = () => {
    go(NONE)
    requestAnimationFrame(() => grid.current?.focus({ preventScroll: true }))
  }
  const remove = async (template: ListedTemplate) => {
    // What had the focus may be gone, or belong to another one.
    if (await deleteWithUndo(template)) close()
  }
  const effect = chosen && <Effect which={chosen} experiment={reply.experiment} />
  const actions = <Actions chosen={chosen} onDelete={(template) => void remove(template)} />
  // A sheet covers the toolbar, so it has on it what can be done.
  const isSheet = narrow && isOpen
  const toolbar = (
    <Toolbar
      templates={reply.templates}
      type={search.type}
      onType={(type: TaskType | undefined) => go({ ...NONE, type })}
    >
      {!isSheet && actions}
    </Toolbar>
  )
  return (
    <>
      {/* A panel that lies over the page leaves free what can be done with it. */}
      {!beside && toolbar}
      <div className="relative flex min-h-0 flex-1">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          {beside && toolbar}
          {shown.length === 0 ? (
            <NoMatch {...w.noMatch} clear={w.clear} onClear={() => go({ type: undefined })} />
          ) : (
            <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
              <TemplateTable
                key={search.type ?? 'all'}
                templates={shown}
                open={isOpen || !narrow ? at : -1}
                card={tight}
                onOpen={(template) => go(addressOf(template))}
                grid={grid}
              />
              <div className="flex flex-col gap-3.5 px-4 py-3">
                {(beside || !isOpen) && !narrow && effect}
                <Suggestions />
              </div>
            </div>
          )}
        </div>
        {isOpen && (
          <TemplatePanel
            key={keyOf(chosen)}
            which={chosen}
            onClose={beside ? undefined : close}
            actions={isSheet ? actions : null}
            {...(beside ? {} : { effect })}
          />
        )}
      </div>
    </>
  )
}

/** What the chosen one did; the panel tells what cannot be read. */
function Effect({ which, experiment }: { readonly which: Which; readonly experiment: number | null }) {
  const { data, isError } = useQuery(templateQuery(which))
  if (data) return <EffectCard effect={data.effect} experiment={experiment} />
  return isError ? null : <Strip>{w.effect.wait}</Strip>
}

const subOf = ({ templates }: TemplatesReply): string =>
  w.sub(
    templates.length,
    templates.reduce((sum, one) => sum + one.usage_count, 0),
  )
