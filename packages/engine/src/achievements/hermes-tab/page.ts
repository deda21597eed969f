import type { AchievementItem, AchievementsReply } from '@panoptes/schema'

/** What the Hermes dashboard provides to a tab. It has the only React on the page. */
export interface TabReact {
  readonly createElement: (type: unknown, props: unknown, ...children: readonly unknown[]) => unknown
  readonly useState: <T>(first: T) => [T, (next: T) => void]
  readonly useEffect: (effect: () => () => void, on: readonly unknown[]) => void
}

export interface TabPage {
  readonly location: { readonly origin: string }
  readonly __HERMES_PLUGIN_SDK__: { readonly React: TabReact }
  readonly __HERMES_PLUGINS__: { readonly register: (name: string, tab: () => unknown) => void }
}

export interface TabSettings {
  readonly name: string
  /** The address of Panoptes. */
  readonly address: string
  /** The origin of the Hermes dashboard, as browsers send it. */
  readonly origin: string
}

type Shown =
  | { readonly kind: 'words'; readonly words: string; readonly link?: string }
  | { readonly kind: 'achievements'; readonly reply: AchievementsReply }

/**
 * The complete script of the tab. Its source text is written into the folder of Hermes, so it must
 * not use anything from outside itself.
 */
export function hermesTab({ name, address, origin }: TabSettings): void {
  const page = globalThis as unknown as TabPage
  const { createElement: h, useState, useEffect } = page.__HERMES_PLUGIN_SDK__.React
  const AGAIN_MS = 2_000
  const GAP = { display: 'grid', gap: '1rem' }
  const BAR = { width: '100%', height: '0.5rem', accentColor: 'currentColor' }
  const LINK = { textDecoration: 'underline' }
  const QUIET = { opacity: 0.75, fontSize: '0.85em' }

  const say = (words: string, link?: string): Shown =>
    link === undefined ? { kind: 'words', words } : { kind: 'words', words, link }

  const ask = async (signal: AbortSignal): Promise<Shown> => {
    if (page.location.origin !== origin) return say('This tab works at', origin)
    const url = `${address}/api/achievements?source=hermes&wait=0`
    const reply = await fetch(url, { credentials: 'include', signal }).catch(() => undefined)
    if (reply === undefined)
      return say(
        'Panoptes does not answer. Start it with "panoptes up". If it is already running, restart it so that it accepts this tab.',
      )
    if (reply.status === 401) return say('Sign in to Panoptes in this browser: run "panoptes open".', address)
    if (!reply.ok) return say(`Panoptes answered ${reply.status}.`, address)
    return { kind: 'achievements', reply: (await reply.json()) as AchievementsReply }
  }

  const isUnderWay = (shown: Shown): boolean =>
    shown.kind === 'achievements' && shown.reply.scan_meta.status?.state === 'running'

  // From zero to the next tier, as the page of Panoptes draws it.
  const barProps = ({ unlocked, tiers, next_tier, next_threshold, progress }: AchievementItem) => {
    const isDone = unlocked && (tiers === undefined || next_tier === null)
    if (isDone || next_threshold === null || next_threshold <= 0) return { value: isDone ? 1 : 0, max: 1 }
    return { value: Math.min(progress, next_threshold), max: next_threshold }
  }

  const best = ({ evidence, best_session }: AchievementItem): unknown => {
    const session = evidence ?? best_session
    return session ? h('span', { style: QUIET }, `Best: ${session.title || session.session_id}`) : null
  }

  const row = (item: AchievementItem): unknown =>
    h(
      'li',
      { key: item.id, style: { display: 'grid', gap: '0.2rem', alignContent: 'start' } },
      h('strong', null, item.tier === null ? item.name : `${item.name} · ${item.tier}`),
      h('span', { style: QUIET }, item.criteria),
      h('progress', { ...barProps(item), 'aria-label': item.name, style: BAR }),
      best(item),
    )

  const category = (title: string, items: readonly AchievementItem[]): unknown =>
    h(
      'section',
      { key: title, style: GAP },
      h('h2', { style: { fontWeight: 600 } }, title),
      h(
        'ul',
        {
          style: {
            ...GAP,
            gridTemplateColumns: 'repeat(auto-fill, minmax(16rem, 1fr))',
            listStyle: 'none',
            padding: 0,
          },
        },
        ...items.map(row),
      ),
    )

  const all = (reply: AchievementsReply): unknown => {
    const categories = [...new Set(reply.achievements.map((item) => item.category))]
    const { unlocked_count, total_count, discovered_count, secret_count } = reply
    const progress = reply.scan_meta.status?.progress
    const stale = progress
      ? ` Reading ${progress.done} of ${progress.total} session${progress.total === 1 ? '' : 's'}.`
      : ''
    return h(
      'div',
      { style: GAP },
      h(
        'p',
        { role: 'status' },
        `${unlocked_count} of ${total_count} unlocked, ${discovered_count} discovered, ${secret_count} secret.${stale}`,
      ),
      h(
        'a',
        { href: `${address}/achievements`, target: '_blank', rel: 'noreferrer', style: LINK },
        'Open in Panoptes',
      ),
      ...categories.map((title) =>
        category(
          title,
          reply.achievements.filter((item) => item.category === title),
        ),
      ),
    )
  }

  const words = ({ words, link }: Extract<Shown, { kind: 'words' }>): unknown =>
    h(
      'p',
      { role: 'status' },
      words,
      ' ',
      link === undefined
        ? null
        : h('a', { href: link, target: '_blank', rel: 'noreferrer', style: LINK }, link),
    )

  page.__HERMES_PLUGINS__.register(name, () => {
    const [shown, show] = useState<Shown>(say('Reading …'))
    useEffect(() => {
      const gone = new AbortController()
      let timer: ReturnType<typeof setTimeout> | undefined
      const look = async (): Promise<void> => {
        const found = await ask(gone.signal)
        if (gone.signal.aborted) return
        show(found)
        if (isUnderWay(found)) timer = setTimeout(() => void look(), AGAIN_MS)
      }
      void look()
      return () => {
        gone.abort()
        clearTimeout(timer)
      }
    }, [])
    return shown.kind === 'words' ? words(shown) : all(shown.reply)
  })
}
