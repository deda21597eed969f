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
import { NoTemplates } from './empty-state.tsx'
import { TemplatePanel } from './panel.tsx'
import { templateQuery, templatesQuery } from './queries.ts'
import { readSearch, type TemplatesSearch } from './search-params.ts'
import { TemplateStrips } from './strips.tsx'
import { Suggestions } from './suggestions.tsx'
import { placeInList, templateKey, toSearch, type Which } from './template-ref.ts'
import { columns } from './template-row.tsx'
import { TemplateTable } from './template-table.tsx'
import { Actions, Toolbar } from './toolbar.tsx'

const w = words.templates
const route = getRouteApi('/templates')

type Change = { readonly [K in keyof TemplatesSearch]?: TemplatesSearch[K] | undefined }
/** The parameters without an open template. */
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
    <Page title={w.title} {...(hasSome ? { sub: subtitle(reply) } : {})}>
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
  // Without a valid template in the address, the first one is shown.
  const at = named === -1 ? 0 : named
  const chosen: ListedTemplate | undefined = shown[at]
  const isOpen = chosen !== undefined && (beside || named !== -1)
  const close = () => {
    go(NONE)
    requestAnimationFrame(() => grid.current?.focus({ preventScroll: true }))
  }
  const remove = async (template: ListedTemplate) => {
    // The focused element may be gone or belong to another template, so the focus moves.
    if (await deleteWithUndo(template)) close()
  }
  const effect = chosen && <Effect which={chosen} experiment={reply.experiment} />
  const actions = <Actions chosen={chosen} onDelete={(template) => void remove(template)} />
  // A sheet covers the toolbar, so it shows the actions itself.
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
      {/* A panel over the page must not cover the actions. */}
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
                onOpen={(template) => go(toSearch(template))}
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
            key={templateKey(chosen)}
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

/** The effect of the chosen template; the panel reports a failed request. */
function Effect({ which, experiment }: { readonly which: Which; readonly experiment: number | null }) {
  const { data, isError } = useQuery(templateQuery(which))
  if (data) return <EffectCard effect={data.effect} experiment={experiment} />
  return isError ? null : <Strip>{w.effect.wait}</Strip>
}

const subtitle = ({ templates }: TemplatesReply): string =>
  w.sub(
    templates.length,
    templates.reduce((sum, one) => sum + one.usage_count, 0),
  )

const ROWS = [120, 96, 110, 128, 104, 116]

/** Placeholder rows while the list loads. */
function GhostRows() {
  return (
    <div role="status" className="@container shrink-0 pt-7">
      <span className="sr-only">{words.templates.reading}</span>
      {ROWS.map((width) => (
        <div
          key={width}
          aria-hidden="true"
          className={`h-12 items-center border-t border-line ${columns} max-desk:grid-cols-[1fr]`}
        >
          <span className="flex flex-col gap-2">
            <Bar width={width} tall />
            <Bar width={width / 2} />
          </span>
          <span className="flex max-desk:hidden">
            <Bar width={44} tall />
          </span>
          <span className="col-start-5 flex max-desk:hidden">
            <Bar width={110} />
          </span>
          <span className="col-start-7 flex max-desk:hidden">
            <Bar width={72} tall />
          </span>
        </div>
      ))}
    </div>
  )
}

function Bar({ width, tall = false }: { readonly width: number; readonly tall?: boolean }) {
  return <span className={`rounded-tag bg-high ${tall ? 'h-2.5' : 'h-2'}`} style={{ width }} />
}
