import { createLayout, type LayoutSession, type Placement } from './layout.ts'

export interface LayoutRunner {
  /** Only the newest question is answered. */
  readonly place: (
    sessions: readonly LayoutSession[],
    aspect: number,
    done: (placement: Placement) => void,
  ) => void
  readonly stop: () => void
}

/** Lays out in the same thread: for a page that has no worker beside it. */
export function runHere(): LayoutRunner {
  const layout = createLayout()
  return {
    place: (sessions, aspect, done) => done(layout.place(sessions, aspect)),
    stop: () => undefined,
  }
}
