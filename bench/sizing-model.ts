/**
 * Times in seconds. A commit of k events in r requests takes `commit + event * k + request * r`, and a space
 * runs one at a time.
 */
export interface Service {
  readonly commit: number
  readonly event: number
  /** The time per request on the single thread that also commits. */
  readonly request: number
  /** The maximum number of events per commit. */
  readonly most: number
}

export interface Load {
  /** The number of forwarding computers, each with one batch in flight. */
  readonly senders: number
  /** The total events per second. */
  readonly rate: number
  /** The maximum number of events per batch. A sender that waits has more to send afterwards. */
  readonly batch: number
  /** Seconds between a reply and the next batch of the same sender. */
  readonly gap: number
}

export interface Simulated {
  /** Response times in seconds. */
  readonly p50: number
  readonly p99: number
  /** The share of time in which a commit was running. */
  readonly busy: number
  /** The average backlog per sender at the end. It grows without bound if the rate is too high. */
  readonly left: number
  readonly events_per_commit: number
  /** Per second. */
  readonly commits: number
  readonly requests: number
}

/** Creates a small random number generator with a fixed seed. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state + 1) / 4_294_967_297
  }
}

/** The gap that forwarders use. */
export const GAP = 0.04

/**
 * Simulates senders of one writer. Events arrive at each sender at random, at its share of the rate. It sends
 * them at once, one batch at a time with a gap in between. Requests that arrive during a commit share the
 * next one.
 */
export function simulate(service: Service, load: Load, seconds: number, seed = 1): Simulated {
  const next = random(seed)
  const share = load.rate / load.senders
  const until = () => -Math.log(next()) / share
  const waits: number[] = []
  /** The waiting events of each sender, and the time up to which they were counted. */
  const gathered = new Float64Array(load.senders)
  const counted = new Float64Array(load.senders)
  const due = new Heap()
  const schedule = (sender: number, from: number, earliest: number) => {
    const came = poisson(share * (from - (counted[sender] ?? 0)), next) + (gathered[sender] ?? 0)
    const first = from + (came > 0 ? 0 : until())
    gathered[sender] = Math.max(1, came)
    counted[sender] = first
    due.push(Math.max(first, earliest), sender)
  }
  for (let sender = 0; sender < load.senders; sender += 1) schedule(sender, 0, 0)
  let clock = 0
  let busy = 0
  let commits = 0
  let stored = 0
  let requests = 0
  let waiting: { readonly at: number; readonly sender: number; readonly events: number }[] = []
  while (clock < seconds) {
    // A sender whose request arrives before the writer is free joins the next commit.
    while (due.first <= clock) {
      const at = due.first
      const sender = due.pop()
      const came = (gathered[sender] ?? 0) + poisson(share * (at - (counted[sender] ?? 0)), next)
      counted[sender] = at
      const events = Math.min(came, load.batch)
      gathered[sender] = came - events
      waiting.push({ at, sender, events })
    }
    if (waiting.length === 0) {
      clock = due.first
      continue
    }
    let taken = 0
    let events = 0
    while (
      taken < waiting.length &&
      (taken === 0 || events + (waiting[taken]?.events ?? 0) <= service.most)
    ) {
      events += waiting[taken]?.events ?? 0
      taken += 1
    }
    const took = service.commit + service.event * events + service.request * taken
    clock += took
    busy += took
    commits += 1
    stored += events
    requests += taken
    for (const { at, sender } of waiting.slice(0, taken)) {
      waits.push(clock - at)
      schedule(sender, clock, clock + load.gap)
    }
    waiting = waiting.slice(taken)
  }
  waits.sort((a, b) => a - b)
  const at = (part: number) => waits[Math.min(waits.length - 1, Math.floor(part * waits.length))] ?? 0
  const left =
    gathered.reduce((sum, each) => sum + each, 0) + waiting.reduce((sum, { events }) => sum + events, 0)
  return {
    p50: at(0.5),
    p99: at(0.99),
    busy: Math.min(1, busy / clock),
    left: left / load.senders,
    events_per_commit: commits === 0 ? 0 : stored / commits,
    commits: commits / clock,
    requests: requests / clock,
  }
}

/** Draws a Poisson-distributed number of events, by the normal approximation for large means. */
function poisson(mean: number, next: () => number): number {
  if (mean <= 0) return 0
  if (mean > 50) {
    const normal = Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next())
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal))
  }
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = next(); product > limit; product *= next()) count += 1
  return count
}

class Heap {
  readonly #items: [number, number][] = []

  get first(): number {
    return this.#items[0]?.[0] ?? Number.POSITIVE_INFINITY
  }

  push(time: number, sender: number): void {
    const items = this.#items
    items.push([time, sender])
    for (let at = items.length - 1; at > 0; ) {
      const above = (at - 1) >> 1
      if ((items[above]?.[0] ?? 0) <= (items[at]?.[0] ?? 0)) return
      this.#swap(at, above)
      at = above
    }
  }

  pop(): number {
    const items = this.#items
    const [, sender] = items[0] ?? [0, 0]
    const last = items.pop()
    if (last === undefined || items.length === 0) return sender
    items[0] = last
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      const right = left + 1
      let least = at
      if (left < items.length && (items[left]?.[0] ?? 0) < (items[least]?.[0] ?? 0)) least = left
      if (right < items.length && (items[right]?.[0] ?? 0) < (items[least]?.[0] ?? 0)) least = right
      if (least === at) return sender
      this.#swap(at, least)
      at = least
    }
  }

  #swap(a: number, b: number): void {
    const items = this.#items
    const [one, other] = [items[a], items[b]]
    if (one && other) [items[a], items[b]] = [other, one]
  }
}

/** Returns the highest rate with response times within the bound and no backlog. */
export function ends(service: Service, load: Omit<Load, 'rate'>, bound: number): number {
  let low = 1
  let high = 1 / service.event
  const holds = (rate: number) => {
    const { p99, left } = simulate(service, { ...load, rate }, 20)
    return p99 <= bound && left <= Math.max(2, (2 * rate) / load.senders)
  }
  if (!holds(low)) return 0
  for (let n = 0; n < 14; n += 1) {
    const rate = (low + high) / 2
    if (holds(rate)) low = rate
    else high = rate
  }
  return low
}

/** Returns the least-squares line through points with both coefficients at least zero. */
export function fitted(
  points: readonly (readonly [x: number, y: number])[],
): readonly [at0: number, slope: number] {
  const n = points.length
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / n
  const [mx, my] = [mean(([x]) => x), mean(([, y]) => y)]
  const spread = points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0)
  const slope = spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0) / spread
  return [Math.max(0, my - slope * mx), Math.max(0, slope)]
}
