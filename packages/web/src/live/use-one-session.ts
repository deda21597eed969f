import { useEffect, useMemo, useState } from 'react'
import { words } from '../words.ts'
import type { Graph } from './model/graph.ts'
import { type OneSession, oneSession } from './model/one-session.ts'

/** On a phone one session is seen at a time, and a swipe leads to the next. Null where there is room for all. */
export function useOneSession(
  graph: Graph,
  selected: string | null,
  narrow: boolean,
): (OneSession & { readonly turn: (by: 1 | -1) => void }) | null {
  const [chosen, setChosen] = useState<string | null>(null)
  const { sessions } = graph
  const home = sessions.find((one) => one.nodes.some((node) => node.key === selected))?.key ?? null
  useEffect(() => {
    if (home !== null) setChosen(home)
  }, [home])
  const one = useMemo(
    () => (narrow ? oneSession(graph, chosen, words.live.swipe) : null),
    [graph, chosen, narrow],
  )
  if (one === null) return null
  const turn = (by: 1 | -1) =>
    setChosen(sessions[(one.index + by + sessions.length) % sessions.length]?.key ?? null)
  return { ...one, turn }
}
