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
import { Toolbar } from './toolbar.tsx'

const w = words.templates
const route = getRouteApi('/templates')

type Change = { readonly [K in keyof TemplatesSearch]?: TemplatesSearch[K] | undefined }

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
  const named = shown.findIndex(({ name }) => name === search.name)
  // The first is told of where none was asked for, or the one that was is gone.
  const at = named === -1 ? 0 : named
  const chosen: ListedTemplate | undefined = shown[at]
  const isOpen = chosen !== undefined && (beside || named !== -1)
  const close = () => {
    go({ name: undefined })
    requestAnimationFrame(() => grid.current?.focus({ preventScroll: true }))
  }
  const remove = async ({ name }: ListedTemplate) => {
    if (await deleteWithUndo(name)) go({ name: undefined })
  }
  const effect = chosen && <Effect name={chosen.name} experiment={reply.experiment} />
  const toolbar = (
    <Toolbar
      templates={reply.templates}
      type={search.type}
      chosen={chosen}
      onType={(type: TaskType | undefined) => go({ type, name: undefined })}
      onDelete={(template) => void remove(template)}
    />
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
                onOpen={({ name }) => go({ name })}
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
            key={chosen.name}
            name={chosen.name}
            onClose={beside ? undefined : close}
            {...(beside ? {} : { effect })}
          />
        )}
      </div>
    </>
  )
}

/** What the chosen one did; the panel tells what cannot be read. */
function Effect({ name, experiment }: { readonly name: string; readonly experiment: number | null }) {
  const { data, isError } = useQuery(templateQuery(name))
  if (data) return <EffectCard effect={data.effect} experiment={experiment} />
  return isError ? null : <Strip>{w.effect.wait}</Strip>
}

const subOf = ({ templates }: TemplatesReply): string =>
  w.sub(
    templates.length,
    templates.reduce((sum, one) => sum + one.usage_count, 0),
  )
