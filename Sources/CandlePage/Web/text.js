// The words of the page.
import { language } from './settings.js';

const words = {
  en: {
    skip: 'To the chart', symbol: 'Symbol', search: 'Search symbol', timeframe: 'Timeframe', style: 'Chart style',
    candles: 'Candles', area: 'Line', mainIndicator: 'Indicators on the chart', volume: 'Volume',
    subIndicators: 'Indicators below the chart', none: 'None', drawings: 'Drawing tools', settings: 'Settings',
    newest: 'To the newest candle', close: 'Close', status: 'Status', access: 'Access token',
    accessWhy: 'This daemon asks its readers for a token. It stays in this tab and is forgotten with it.', enter: 'Enter',
    accessWrong: 'This token is not accepted.', noteText: 'Text', place: 'Place',
    connecting: 'connecting', live: 'live', offline: 'offline', refused: 'no access',
    open: 'O', high: 'H', low: 'L', closing: 'C', vol: 'V',
    forming: 'forming', flat: 'flat', incomplete: 'incomplete', corrected: 'corrected', history: 'history',
    noEMA: 'This daemon computes no EMA: set indicators.ema in its configuration.',
    noIndicator: 'This daemon does not compute {name}: see indicators in its configuration.',
    waiting: 'Waiting for the first candle of {symbol}', noSymbols: 'No ticks yet. The chart begins with the first one.',
    failed: 'Could not load: {why}', gap: 'gap', nothing: 'Nothing found',
    summary: '{symbol}, {timeframe}, candle of {time} closed: open {open}, high {high}, low {low}, close {close}, volume {volume}, {change}.',
    up: 'up {percent} percent', down: 'down {percent} percent', level: 'unchanged', chart: 'Candle chart of {symbol}, {timeframe}. Arrow keys move through the candles.',
    theme: 'Theme', auto: 'Automatic', dark: 'Dark', light: 'Light', colors: 'Rising candles', green: 'Green', red: 'Red',
    zone: 'Times', local: 'Local', languageName: 'Language', marks: 'Marks', keys: 'Keys', about: 'About',
    markFlat: 'No ticks in the interval', markIncomplete: 'The daemon did not listen for the whole interval',
    markCorrected: 'Changed after it closed', markHistory: 'Filled from a history source', markGap: 'Nothing is known',
    keySearch: 'search symbol', keyTimeframes: 'timeframes', keyMove: 'through the candles', keyScroll: 'scroll', keyZoom: 'zoom',
    keyEnds: 'oldest loaded, newest', keyStatus: 'status', keyEscape: 'leave the crosshair or a drawing', keyDelete: 'delete the chosen drawing',
    licence: 'Chart drawing: KLineChart, Apache License 2.0', dataNote: 'Indicators are the values of the daemon.',
    segment: 'Line', rayLine: 'Ray', straightLine: 'Endless line', horizontalStraightLine: 'Horizontal line',
    verticalStraightLine: 'Vertical line', priceLine: 'Price line', parallelStraightLine: 'Parallel lines',
    priceChannelLine: 'Channel', fibonacciLine: 'Fibonacci levels', simpleAnnotation: 'Text', clear: 'Delete the chosen drawing, or all',
    clearAll: 'Delete all drawings of {symbol}?',
    connection: 'Connection', versionName: 'Version', uptime: 'Running for', clock: 'Clock', ready: 'Ready', yes: 'yes', no: 'no',
    subscribers: 'Subscribers', lastVersion: 'Last version', ticks: 'Ticks', rate: 'Ticks a second', byTick: 'Settled by tick',
    byClock: 'Settled by clock', flats: 'Flat candles', corrections: 'Corrections', database: 'Database', writable: 'writable',
    failing: 'failing', pendingBytes: 'waiting', convention: 'Indicators', feeds: 'Feeds', feed: 'Feed', state: 'State', skew: 'Skew', lag: 'Last tick',
    refusedTicks: 'Refused', noFeeds: 'No feed is configured.', gaps: 'Gaps of {symbol}', from: 'From', length: 'Length', reason: 'Reason',
    lasting: 'lasting', filled: 'filled', noGaps: 'No gaps.', ago: '{span} ago', loaded: 'Candles loaded',
  },
  zh: {
    skip: '跳到图表', symbol: '交易对', search: '搜索交易对', timeframe: '周期', style: '图表样式',
    candles: '蜡烛图', area: '折线图', mainIndicator: '主图指标', volume: '成交量',
    subIndicators: '副图指标', none: '无', drawings: '画线工具', settings: '设置',
    newest: '回到最新', close: '关闭', status: '状态', access: '访问令牌',
    accessWhy: '该服务需要访问令牌。令牌只保存在本标签页，关闭后即失效。', enter: '确定',
    accessWrong: '令牌无效。', noteText: '文字', place: '放置',
    connecting: '连接中', live: '实时', offline: '已断开', refused: '无权限',
    open: '开', high: '高', low: '低', closing: '收', vol: '量',
    forming: '未收盘', flat: '无成交', incomplete: '不完整', corrected: '已修正', history: '历史补全',
    noEMA: '服务未计算 EMA：请在配置中设置 indicators.ema。',
    noIndicator: '服务未计算 {name}：请查看配置 indicators。',
    waiting: '等待 {symbol} 的第一根 K 线', noSymbols: '尚无成交数据，收到第一笔后开始绘图。',
    failed: '加载失败：{why}', gap: '缺口', nothing: '没有结果',
    summary: '{symbol} {timeframe} {time} 收盘：开 {open}，高 {high}，低 {low}，收 {close}，成交量 {volume}，{change}。',
    up: '上涨 {percent}%', down: '下跌 {percent}%', level: '持平', chart: '{symbol} {timeframe} K 线图。使用方向键逐根查看。',
    theme: '主题', auto: '自动', dark: '深色', light: '浅色', colors: '上涨颜色', green: '绿色', red: '红色',
    zone: '时间', local: '本地', languageName: '语言', marks: '标记', keys: '快捷键', about: '关于',
    markFlat: '该周期内无成交', markIncomplete: '服务未监听完整周期',
    markCorrected: '收盘后被修正', markHistory: '由历史数据补全', markGap: '数据未知',
    keySearch: '搜索交易对', keyTimeframes: '切换周期', keyMove: '逐根查看', keyScroll: '滚动', keyZoom: '缩放',
    keyEnds: '最早已加载、最新', keyStatus: '状态', keyEscape: '退出十字线或画线', keyDelete: '删除选中的画线',
    licence: '图表绘制：KLineChart，Apache License 2.0', dataNote: '指标数值由服务计算。',
    segment: '线段', rayLine: '射线', straightLine: '直线', horizontalStraightLine: '水平线',
    verticalStraightLine: '垂直线', priceLine: '价格线', parallelStraightLine: '平行线',
    priceChannelLine: '价格通道', fibonacciLine: '斐波那契回调', simpleAnnotation: '文字', clear: '删除选中的画线或全部画线',
    clearAll: '删除 {symbol} 的全部画线？',
    connection: '连接', versionName: '版本', uptime: '运行时间', clock: '时钟', ready: '就绪', yes: '是', no: '否',
    subscribers: '订阅者', lastVersion: '最新版本号', ticks: '成交笔数', rate: '每秒笔数', byTick: '成交触发收盘',
    byClock: '时钟触发收盘', flats: '无成交 K 线', corrections: '修正次数', database: '数据库', writable: '可写',
    failing: '故障', pendingBytes: '待写入', convention: '指标口径', feeds: '数据源', feed: '数据源', state: '状态', skew: '时差', lag: '最近成交',
    refusedTicks: '拒绝', noFeeds: '未配置数据源。', gaps: '{symbol} 的缺口', from: '开始', length: '时长', reason: '原因',
    lasting: '持续中', filled: '已补全', noGaps: '没有缺口。', ago: '{span}前', loaded: '已加载 K 线',
  },
};

/** A text in the reader's language, with its blanks filled. */
export function text(key, blanks = {}) {
  const found = words[language()][key] ?? words.en[key] ?? key;
  return found.replace(/\{(\w+)\}/g, (_, name) => blanks[name] ?? '');
}

/** Sets the texts of the document: `data-text` for content, `data-label` for the name of a control. */
export function translate(root = document) {
  document.documentElement.lang = language() === 'zh' ? 'zh-CN' : 'en';
  for (const element of root.querySelectorAll('[data-text]')) element.textContent = text(element.dataset.text);
  for (const element of root.querySelectorAll('[data-label]')) {
    const label = text(element.dataset.label);
    element.setAttribute('aria-label', label);
    if (element.matches('button')) element.title = label;
  }
}

/** An element with attributes and children, texts or elements. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}
