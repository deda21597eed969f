export { fetchCatalogue, readCatalogue } from './catalogue.ts'
export { createPrices, type OwnPrice, type Prices, priceCalls } from './prices.ts'
export {
  type Endpoint,
  LOCAL_PROVIDERS,
  openProviders,
  type Providers,
  resolveEndpoints,
} from './providers/open.ts'
export type {
  ChatAsk,
  ChatChunk,
  ChatMessage,
  ChatOptions,
  ChatPart,
  ChatReply,
  ModelError,
  Provider,
} from './providers/port.ts'
export { hasContent } from './providers/reply-assembler.ts'
export { mergeReportedUsage, toOpenaiUsage } from './providers/usage.ts'
