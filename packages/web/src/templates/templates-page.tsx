import type { ListedTemplate, TaskType, TemplatesReply } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCallback, useMemo, useRef } from 'react'
import { useHasRole } from '../api/me.ts'
import { Button } from '../design/button.tsx'
import { Code } from '../design/code.tsx'
import { Empty, NoMatch } from '../design/empty.tsx'
import { Segmented } from '../design/segmented.tsx'
import { Strip } from '../design/strip.tsx'
import { Page } from '../shell/page.tsx'
import { useMedia } from '../shell/use-media.ts'
import { words } from '../words.ts'
import { deleteWithUndo } from './actions.ts'
import { EffectCard } from './effect-card.tsx'
import { makeTemplate } from './make-dialog-state.ts'
import { TemplatePanel } from './panel.tsx'
import { suggestedQuery, templateQuery, templatesQuery } from './queries.ts'
import { readSearch, type TemplatesSearch, TYPES } from './search-params.ts'
import { TemplateStrips } from './strips.tsx'
import { SuggestedList, Suggestions } from './suggestions.tsx'
import { placeInList, type TemplateRef, templateKey, toSearch } from './template-ref.ts'
import { columns } from './template-row.tsx'
import { TemplateTable } from './template-table.tsx'

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
function Effect({ which, experiment }: { readonly which: TemplateRef; readonly experiment: number | null }) {
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

/** Explains templates and suggests sessions before the first one exists. */
function NoTemplates({ folder }: { readonly folder: string }) {
  const suggested = useQuery(suggestedQuery).data
  const mayMake = useHasRole('member')
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

/** The type filter and the actions. */
function Toolbar(props: {
  readonly templates: readonly ListedTemplate[]
  readonly type: TaskType | undefined
  readonly onType: (type: TaskType | undefined) => void
  readonly children: ReactNode
}) {
  const { templates } = props
  const segments = [
    { value: 'all' as const, label: w.typeCount(w.all, templates.length) },
    ...TYPES.map((type) => ({
      value: type,
      label: w.typeCount(w.types[type], countByType(templates, type)),
    })),
  ]
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <div className="-m-1 max-w-[calc(100%+8px)] overflow-x-auto p-1">
        <Segmented
          label={w.type}
          segments={segments}
          value={props.type ?? 'all'}
          onChange={(type) => props.onType(type === 'all' ? undefined : type)}
        />
      </div>
      <span className="flex-1" />
      {props.children}
    </div>
  )
}

/** Actions on the chosen template, and the button that creates another one. */
function Actions(props: {
  readonly chosen: ListedTemplate | undefined
  readonly onDelete: (template: ListedTemplate) => void
}) {
  const { chosen } = props
  const isOfHermes = chosen?.place === 'hermes'
  if (!useHasRole('member')) return <span className="text-12 text-text-3">{words.team.forRole.member}</span>
  return (
    <>
      {chosen && (
        <Button
          aria-label={w.actions.deleteLabel(chosen.name)}
          disabled={isOfHermes}
          title={isOfHermes ? w.actions.ofHermes : undefined}
          onClick={() => props.onDelete(chosen)}
        >
          {w.actions.delete}
        </Button>
      )}
      <Button kind="main" icon="plus" onClick={() => makeTemplate()}>
        {w.actions.make}
      </Button>
    </>
  )
}

const countByType = (templates: readonly ListedTemplate[], type: TaskType): number =>
  templates.filter((one) => one.task_type === type).length
